import Crypto
import Glibc
import Models

/// The folder of saved attachments: new files only, each whole or not there at all.
///
/// Below the root every folder is opened relative to the one above it and never through a link, so that no name can
/// lead out of it. A file is written under a hidden name, synced, and renamed to a name that is free.
public struct AttachmentFolder: Sendable {
    public let root: String

    public init(root: String) { self.root = root }

    /// SHA-256 of a saved file, hex; nil: there is none, or something else has its name.
    public func digest(of path: String) throws(AttachmentError) -> String? {
        let (folder, name) = Self.split(path)
        guard let directory = try open(folder, making: false) else { return nil }
        return try directory.digest(name)
    }

    /// Where a file with these bytes is to go.
    enum Place: Equatable {
        /// A file with the same bytes is there.
        case same(path: String)
        case free(path: String)
    }

    /// The first name, counted up from the wanted one, that is free or already has these bytes.
    func place(for bytes: Content, named name: String, in folder: String) throws(AttachmentError) -> Place {
        guard Self.isName(name[...]) else {
            throw AttachmentError("'\(name)' cannot be a file name", at: root, isFinal: true)
        }
        guard let directory = try open(folder, making: false) else {
            return .free(path: SavedFiles.path(name, in: folder))
        }
        for number in 1...Self.mostNumbers {
            let candidate = SavedFiles.numbered(name, number)
            let path = SavedFiles.path(candidate, in: folder)
            guard let size = try directory.size(candidate) else { return .free(path: path) }
            guard size == bytes.bytes.count, try directory.digest(candidate) == bytes.digest else { continue }
            return .same(path: path)
        }
        throw AttachmentError("too many files are called \(name)", at: root + "/" + folder, isFinal: true)
    }

    private static let mostNumbers = 1_000

    /// Writes a new file; false: its name was taken meanwhile. `token` names what a crash may leave behind.
    func write(_ bytes: Content, at path: String, token: String) throws(AttachmentError) -> Bool {
        let (folder, name) = Self.split(path)
        guard let directory = try open(folder, making: true) else { return false }
        let temporary = Self.temporary(token)
        try directory.create(temporary, bytes.bytes)
        guard try directory.moveToFreeName(temporary, to: name) else {
            directory.unlink(temporary)
            return false
        }
        try directory.sync()
        return true
    }

    /// Removes what an attempt that was cut short left behind.
    func discard(_ token: String, in folder: String) throws(AttachmentError) {
        try open(folder, making: false)?.unlink(Self.temporary(token))
    }

    enum Removal {
        case removed
        case gone
        /// Its bytes have changed: it stays.
        case changed
    }

    /// Removes a file that still has these bytes. It is renamed first, so that opus does not check a name that
    /// another program may write to.
    func remove(_ path: String, digest: String, token: String) throws(AttachmentError) -> Removal {
        let (folder, name) = Self.split(path)
        guard let directory = try open(folder, making: false) else { return .gone }
        let temporary = Self.temporary(token)
        if try directory.size(temporary) == nil {
            guard let there = try directory.digest(name) else { return .gone }
            guard there == digest else { return .changed }
            guard try directory.moveToFreeName(name, to: temporary) else { return .gone }
        }
        guard try directory.digest(temporary) == digest else {
            _ = try directory.moveToFreeName(temporary, to: name)
            return .changed
        }
        directory.unlink(temporary)
        try directory.sync()
        return .removed
    }

    // MARK: Names

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return ("", path) }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    private static func temporary(_ token: String) -> String { ".opus-\(token.prefix(32)).part" }

    /// Plans come from files that can be edited, so names are checked here again.
    private static func isName(_ name: Substring) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= 255 && !name.utf8.contains(0)
    }

    // MARK: Folders

    private func open(_ folder: String, making: Bool) throws(AttachmentError) -> OpenFolder? {
        let parts = folder.isEmpty ? [] : folder.split(separator: "/", omittingEmptySubsequences: false)
        if let bad = parts.first(where: { !Self.isName($0) }) {
            throw AttachmentError("'\(bad)' cannot be a folder name", at: root, isFinal: true)
        }
        guard let top = try OpenFolder(root: root, making: making) else { return nil }
        var current = top
        for part in parts {
            guard let next = try OpenFolder(String(part), in: current, making: making) else { return nil }
            current = next
        }
        return current
    }
}

/// Bytes of a file with their digest, which is needed more than once.
struct Content {
    let bytes: [UInt8]
    let digest: String

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        digest = Hex.encode(SHA256.hash(bytes))
    }
}

/// Why a file could not be saved or removed.
public struct AttachmentError: Error, Sendable, CustomStringConvertible {
    public let description: String
    /// Another attempt would fail in the same way.
    let isFinal: Bool

    init(_ reason: String, at path: String, isFinal: Bool = false) {
        description = "\(path): \(reason)"
        self.isFinal = isFinal
    }

    init(errno number: Int32, at path: String) {
        let words = strerror(number).map { String(cString: $0).lowercased() } ?? "error \(number)"
        let isInTheWay = number == ELOOP || number == ENOTDIR
        self.init(isInTheWay ? "this is a link or a file, not a folder" : words, at: path)
    }
}
