import Files
import Glibc
import MIMEParser
public import Models

/// The lists of senders that opus edits, with one address per line, in a folder of the workspace. Other
/// lines, written by the user, are kept.
public struct SenderLists: Sendable {
    /// The folder of the workspace.
    private let root: String

    public init(root: String) { self.root = root }

    /// In bytes. The maximum size of a list that rules read.
    private static let mostBytes = 1 << 20

    /// Whether the text can be an entry: one plain address. A `*` would match other senders, and `#` begins a comment.
    public static func isEntry(_ text: String) -> Bool {
        guard text.utf8.count <= 320, let address = EmailAddress(text), !address.localPart.isEmpty,
            address.domain.contains(".")
        else { return false }
        return !text.unicodeScalars.contains {
            $0.value <= 0x20 || (0x7F...0x9F).contains($0.value) || "*#,;|<>\"".unicodeScalars.contains($0)
        }
    }

    /// The addresses of a list in their comparable form, as they are in mail; empty if the file does not exist.
    public func entries(of list: SenderList) throws(AttachmentError) -> Set<String> {
        Set(try content(of: list).lines.compactMap { Self.entry($0) })
    }

    /// When the file of the list last changed; nil: it does not exist.
    public func changedAt(_ list: SenderList) -> Timestamp? {
        var status = stat()
        guard lstat(root + "/" + list.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Timestamp(seconds: Int64(status.st_mtim.tv_sec))
    }

    /// Adds or removes the address; false: the list did not change.
    func set(_ entry: String, in list: SenderList, isListed: Bool) throws(AttachmentError) -> Bool {
        guard Self.isEntry(entry) else {
            throw AttachmentError("'\(entry)' cannot be an entry", at: list.path, isFinal: true)
        }
        let wanted = Self.comparable(entry)
        var content = try content(of: list)
        let isThere = content.lines.contains { Self.entry($0) == wanted }
        guard isThere != isListed else { return false }
        if isListed {
            content.lines.append(entry)
        } else {
            content.lines.removeAll { Self.entry($0) == wanted }
        }
        try write(content, to: list)
        return true
    }

    /// The entries of a list with their comments, in the order of the file.
    public func commented(_ list: SenderList) throws(AttachmentError) -> [(entry: String, comment: String)] {
        try content(of: list).lines.compactMap { line in
            guard let entry = Self.entry(line), let mark = line.firstIndex(of: "#") else { return nil }
            return (entry, String(line[line.index(after: mark)...]))
        }
    }

    /// Adds an entry with a comment, in place of the lines of this entry whose comments `replaces` accepts.
    public func add(
        _ entry: String, comment: String, to list: SenderList, replacing replaces: (String) -> Bool
    ) throws(AttachmentError) {
        guard Self.isEntry(entry), !comment.contains(where: \.isNewline) else {
            throw AttachmentError("'\(entry)' cannot be an entry", at: list.path, isFinal: true)
        }
        let wanted = Self.comparable(entry)
        var content = try content(of: list)
        content.lines.removeAll { line in
            guard Self.entry(line) == wanted, let mark = line.firstIndex(of: "#") else { return false }
            return replaces(String(line[line.index(after: mark)...]))
        }
        content.lines.append("\(entry)  #\(comment)")
        try write(content, to: list)
    }

    /// Some Windows editors write a byte order mark at the beginning of a file.
    private static func entry(_ line: String) -> String? {
        let text = line.prefix { $0 != "#" }.filter { !$0.isWhitespace && $0 != "\u{FEFF}" }
        return text.isEmpty ? nil : comparable(String(text))
    }

    static func comparable(_ entry: String) -> String {
        EmailAddress(entry)?.withMailDomain.comparable ?? entry.lowercased()
    }

    // MARK: The file

    private struct Content {
        var lines: [String] = []
        /// The end of each line, as the user's editor writes it.
        var ending = "\n"
    }

    private func content(of list: SenderList) throws(AttachmentError) -> Content {
        guard let folder = try open(making: false) else { return Content() }
        defer { close(folder) }
        let file = openat(folder, list.fileName, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            guard errno == ENOENT else { throw AttachmentError(errno: errno, at: list.path) }
            return Content()
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes + 1)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { buffer in
                read(file, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { throw AttachmentError(errno: errno, at: list.path) }
            guard more > 0 else { break }
            count += more
        }
        guard count <= Self.mostBytes else {
            throw AttachmentError("it is larger than 1 MiB", at: list.path, isFinal: true)
        }
        guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
            throw AttachmentError("it is not UTF-8 text", at: list.path, isFinal: true)
        }
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return Content(lines: lines, ending: text.contains("\r\n") ? "\r\n" : "\n")
    }

    private func write(_ content: Content, to list: SenderList) throws(AttachmentError) {
        guard let folder = try open(making: true) else { return }
        defer { close(folder) }
        do throws(FileFailure) {
            try ReplacedFile.write(
                Array(content.lines.map { $0 + content.ending }.joined().utf8), to: list.fileName,
                through: ".\(list.fileName).new", in: folder, mode: 0o644)
            try Durable.sync(folder: folder)
        } catch {
            throw AttachmentError(errno: error.number, at: list.path)
        }
    }

    /// nil: the folder does not exist, and `making` is false. Never opened through a symbolic link, so the
    /// lists stay in the workspace.
    private func open(making: Bool) throws(AttachmentError) -> Int32? {
        let path = root + "/" + SenderList.folder
        if making, mkdir(path, 0o755) != 0, errno != EEXIST { throw AttachmentError(errno: errno, at: path) }
        let folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if folder >= 0 { return folder }
        guard errno == ENOENT, !making else { throw AttachmentError(errno: errno, at: path) }
        return nil
    }
}
