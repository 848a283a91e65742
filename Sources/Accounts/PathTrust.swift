import Glibc

/// Checks who can change a file. opus executes `opus.yaml` and the rules with the permissions of its caller,
/// so only the caller and root may be able to write these files or to replace them.
public struct PathTrust: Sendable {
    /// Why a path is not trusted: another user can change its content.
    public struct Doubt: Error, Hashable, Sendable {
        public enum Reason: Hashable, Sendable {
            case foreignOwner
            case writable
        }

        public var reason: Reason
        public var path: String
        public var owner: UInt32
        public var mode: UInt32
        /// The user of the opus process.
        public var user: UInt32
        /// Whether it is the file itself or its folder, and not a folder further up.
        public var isNear: Bool
    }

    private let user: UInt32
    /// Folders above the home folder are the responsibility of the administrator (as with StrictModes of
    /// sshd).
    private let aboveHome: Set<FileNumber>
    /// In a sandbox, root's folders appear to belong to another user: the owner of `/` has full control
    /// anyway.
    private let rootOwner: UInt32?

    /// For the user of this process.
    public init() {
        user = geteuid()
        rootOwner = FileStatus(link: "/")?.owner
        aboveHome = UserAccount.home(of: user).map(Self.ancestors) ?? []
    }

    /// The first reason not to trust a file or folder; nil if there is none, or if the path does not exist.
    ///
    /// Checks every folder and symbolic link on the path, in the order in which the kernel resolves them.
    public func doubt(about path: String) -> Doubt? {
        var ahead = Self.components(path)
        guard let root = FileStatus(link: "/") else { return nil }
        var way = [Step(path: "/", status: root)]
        var links = 0
        while let name = ahead.popLast() {
            if name == ".." {
                if way.count > 1 { way.removeLast() }
                continue
            }
            guard let folder = way.last else { return nil }
            let next = Paths.join(folder.path, name)
            guard let status = FileStatus(link: next) else { return nil }
            if let doubt = doubt(aboutHolder: folder, isLast: ahead.isEmpty && !status.isFolder) {
                return doubt
            }
            let step = Step(path: next, status: status)
            guard !status.isLink else {
                links += 1
                guard links <= 40, let target = Self.target(of: next) else { return nil }
                if !isOurs(status.owner) { return doubt(.foreignOwner, step, isNear: ahead.isEmpty) }
                if target.hasPrefix("/") { way.removeLast(way.count - 1) }
                ahead += Self.components(target)
                continue
            }
            way.append(step)
        }
        return way.last.flatMap { doubt(aboutNear: $0) }
    }

    private struct Step {
        let path: String
        let status: FileStatus
    }

    private func doubt(aboutHolder folder: Step, isLast: Bool) -> Doubt? {
        if isLast { return doubt(aboutNear: folder) }
        guard !aboveHome.contains(folder.status.number) else { return nil }
        if !isOurs(folder.status.owner), folder.status.owner != rootOwner {
            return doubt(.foreignOwner, folder, isNear: false)
        }
        // In a folder with the sticky bit, other users can add files, but cannot remove the user's.
        let isOpen = folder.status.isWritableByOthers && !folder.status.isSticky
        return isOpen ? doubt(.writable, folder, isNear: false) : nil
    }

    /// Checks the file or its folder: even with the sticky bit, others could add rules to it.
    private func doubt(aboutNear step: Step) -> Doubt? {
        if !isOurs(step.status.owner) { return doubt(.foreignOwner, step, isNear: true) }
        return step.status.isWritableByOthers ? doubt(.writable, step, isNear: true) : nil
    }

    private func isOurs(_ owner: UInt32) -> Bool { owner == user || owner == 0 }

    private func doubt(_ reason: Doubt.Reason, _ step: Step, isNear: Bool) -> Doubt {
        Doubt(
            reason: reason, path: step.path, owner: step.status.owner, mode: step.status.mode, user: user,
            isNear: isNear)
    }

    /// In reverse order.
    private static func components(_ path: String) -> [String] {
        path.split(separator: "/").map(String.init).filter { $0 != "." }.reversed()
    }

    private static func target(of link: String) -> String? {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, used in
            buffer.withMemoryRebound(to: CChar.self) { names in
                guard let start = names.baseAddress else { return }
                count = readlink(link, start, names.count)
            }
            used = max(0, count)
        }
        return count > 0 && count < Int(PATH_MAX) ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private static func ancestors(of home: String) -> Set<FileNumber> {
        var found: Set<FileNumber> = []
        var folder = Paths.clean(home)
        while folder != "/" {
            folder = Paths.parent(folder)
            if let status = FileStatus(folder) { found.insert(status.number) }
        }
        return found
    }
}

extension PathTrust.Doubt {
    /// The reason as a clause.
    public var sentence: String {
        switch reason {
        case .foreignOwner:
            "\(path) belongs to \(UserAccount.name(of: owner)), not to "
                + (user == 0 ? "root" : "\(UserAccount.name(of: user)) or root")
        case .writable:
            "\(path) can be changed by " + (mode & S_IWOTH != 0 ? "every user" : "its group")
                + " (mode \(String(mode & 0o7777, radix: 8)))"
        }
    }

    /// The command that fixes it, or an instruction if no command should be used.
    public var remedy: String {
        let quoted = ShellQuoting.quoted([path])
        let elsewhere = "move your workspace to a folder that only you can write to"
        switch reason {
        case .foreignOwner:
            guard isNear else { return elsewhere }
            return (user == 0 ? "chown root" : "sudo chown \(UserAccount.known(user) ?? String(user))")
                + " \(quoted)"
        case .writable:
            guard owner == user || user == 0 && owner == 0, mode & S_ISVTX == 0 else { return elsewhere }
            return "chmod go-w \(quoted)"
        }
    }
}

/// The identity of a file: device and inode.
struct FileNumber: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}

/// The result of `stat` for a path.
struct FileStatus: Sendable {
    let number: FileNumber
    let owner: UInt32
    let mode: UInt32

    /// Of the target of a symbolic link.
    init?(_ path: String) {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        self.init(found)
    }

    /// Of the symbolic link itself.
    init?(link path: String) {
        var found = stat()
        guard lstat(path, &found) == 0 else { return nil }
        self.init(found)
    }

    private init(_ found: stat) {
        number = FileNumber(device: UInt64(found.st_dev), inode: UInt64(found.st_ino))
        owner = found.st_uid
        mode = found.st_mode
    }

    var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    var isLink: Bool { mode & S_IFMT == S_IFLNK }
    var isSticky: Bool { mode & S_ISVTX != 0 }
    var isWritableByOthers: Bool { mode & (S_IWGRP | S_IWOTH) != 0 }
}

/// A user's entry in the password database.
enum UserAccount {
    static func name(of user: UInt32) -> String { known(user) ?? "user \(user)" }

    /// nil: the system does not know the user.
    static func known(_ user: UInt32) -> String? {
        entry(of: user) { $0.pw_name.map { String(cString: $0) } }
    }

    static func home(of user: UInt32) -> String? {
        entry(of: user) { $0.pw_dir.map { String(cString: $0) } }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    private static func entry(of user: UInt32, _ read: (passwd) -> String?) -> String? {
        var buffer = [CChar](repeating: 0, count: 16_384)
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
        return read(entry)
    }
}
