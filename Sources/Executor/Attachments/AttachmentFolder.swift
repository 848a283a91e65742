import Crypto
import Glibc
import Models

/// The folder of saved attachments. opus creates new files there, each complete or not at all, and never
/// replaces a file. It removes only files that it saved and that have not changed.
///
/// Below the root, each folder is opened relative to its parent and never through a symbolic link, so no name
/// can lead out of the root. A file is written under a hidden name, synced, and renamed to a free name.
public struct AttachmentFolder: Sendable {
    public let root: String

    public init(root: String) { self.root = root }

    /// SHA-256 of a saved file, in hex; nil: the file does not exist, or is not a regular file.
    public func digest(of path: String) throws(AttachmentError) -> String? {
        let (folder, name) = Self.split(path)
        guard let directory = try open(folder, making: false) else { return nil }
        return try directory.digest(name)
    }

    /// The place for a file with these bytes.
    enum Place: Equatable {
        /// A file with the same bytes already exists.
        case same(path: String)
        case free(path: String)
    }

    /// The wanted name, or the first numbered variant of it that is free or already has these bytes.
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

    /// Writes a new file; false: another program took the name meanwhile. `token` names the temporary file,
    /// so that it can be found after a crash.
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

    /// Removes the temporary file of an interrupted attempt.
    func discard(_ token: String, in folder: String) throws(AttachmentError) {
        try open(folder, making: false)?.unlink(Self.temporary(token))
    }

    enum Removal {
        case removed
        case gone
        /// Its bytes have changed, so it is not removed.
        case changed
    }

    /// Removes a file that still has these bytes. Renames it first, so that no other program can change the
    /// file between the check and the removal.
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

    /// The paths in a plan may have been edited, so each name is checked again.
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

/// The bytes of a file with their digest, which is needed more than once.
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
