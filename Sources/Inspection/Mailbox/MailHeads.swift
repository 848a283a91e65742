import Glibc
import MIMEParser
import Models

/// The headers of all messages of a Maildir (with the Maildirs in it), a folder of message files, or an mbox.
///
/// Reads in the order of names and never follows a link. Only the headers are kept.
struct MailHeads {
    struct Head {
        var bytes: [UInt8]
        /// The file in the folder; nil: an mbox.
        var file: String?
        /// When it was received: the time of the file, or of its `From ` line; nil: not known.
        var received: Timestamp?
    }

    /// The most messages to read.
    static let limit = 1_000_000
    /// The most bytes of a header; longer ones are cut.
    static let headerBytes = 1 << 20
    private static let depth = 16

    private(set) var heads: [Head] = []

    init(_ path: String) throws(Problem) {
        var status = stat()
        if path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            try readFolder(path)
        } else {
            let bytes = try InspectionFile.read(path)
            heads = Self.messages(ofMbox: bytes).map { line, header in
                Head(bytes: Array(bytes[header]), file: nil, received: Self.received(bytes[line]))
            }
        }
    }

    // MARK: A folder

    private mutating func readFolder(_ root: String) throws(Problem) {
        var open: [(path: String, depth: Int)] = [("", 0)]
        while let (folder, depth) = open.popLast() {
            for name in try Self.names(in: folder.isEmpty ? root : root + "/" + folder) {
                let path = folder.isEmpty ? name : folder + "/" + name
                var status = stat()
                guard lstat(root + "/" + path, &status) == 0 else { continue }
                switch status.st_mode & S_IFMT {
                case S_IFDIR where depth < Self.depth && name != "tmp": open.append((path, depth + 1))
                case S_IFREG where Self.isMessage(path):
                    let received = Timestamp(seconds: Int64(status.st_mtim.tv_sec))
                    try add(root + "/" + path, as: path, received)
                case _: continue
                }
            }
        }
        heads.sort { ($0.file ?? "") < ($1.file ?? "") }
    }

    /// Leaves out the files that a Maildir or a mail program keeps beside the messages.
    private static func isMessage(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        guard let name = parts.last, name.first != "." else { return false }
        if parts.count > 1, parts[parts.count - 2] == "cur" || parts[parts.count - 2] == "new" { return true }
        return name.hasSuffix(".eml") || name.allSatisfy { $0.isASCII && $0.isNumber }
    }

    private mutating func add(
        _ path: String, as file: String, _ received: Timestamp
    ) throws(Problem) {
        guard heads.count < Self.limit else {
            throw Problem(
                "mailbox-too-large", exit: .badData,
                message: "the folder has more than \(Self.limit) messages, so it was not read")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        // Another program may have moved it away.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var bytes = try InspectionFile.read(descriptor, of: path, atMost: 16 << 10)
        while bytes.count < Self.headerBytes, Self.header(in: bytes[...]) == nil {
            let more = try InspectionFile.read(descriptor, of: path, atMost: bytes.count)
            guard !more.isEmpty else { break }
            bytes += more
        }
        heads.append(
            Head(bytes: Array(Self.header(in: bytes[...]) ?? bytes[...]), file: file, received: received))
    }

    private static func names(in folder: String) throws(Problem) -> [String] {
        guard let handle = opendir(folder) else { throw InspectionFile.cannotRead(folder, errno) }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { buffer in
                String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Up to the first empty line; nil: there is none.
    private static func header(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var index = bytes.startIndex
        while let end = bytes[index...].firstIndex(of: 0x0A) {
            if end > bytes.startIndex, end == index || (end == index + 1 && bytes[index] == 0x0D) {
                return bytes[..<index]
            }
            index = end + 1
        }
        return nil
    }

    // MARK: An mbox

    /// The `From ` lines of the messages, and their headers: each begins with such a line that has a time, at the start or
    /// after an empty line. Bytes without such a line are one message. RFC 4155.
    private static func messages(ofMbox bytes: [UInt8]) -> [(line: Range<Int>, header: Range<Int>)] {
        var starts: [(line: Range<Int>, start: Int)] = []
        var index = 0
        var isFree = true
        while index < bytes.count, starts.count < limit {
            let end = bytes[index...].firstIndex(of: 0x0A) ?? bytes.count
            let line = bytes[index..<end]
            if isFree, isSeparator(line) { starts.append((index..<end, min(end + 1, bytes.count))) }
            isFree = line.isEmpty || line.elementsEqual([0x0D])
            index = end + 1
        }
        if starts.isEmpty { starts = bytes.isEmpty ? [] : [(0..<0, 0)] }
        return starts.map { line, start in
            let head = header(in: bytes[start...].prefix(headerBytes)) ?? bytes[start...].prefix(headerBytes)
            return (line, start..<head.endIndex)
        }
    }

    /// The time of a `From ` line, after the address.
    private static func received(_ line: ArraySlice<UInt8>) -> Timestamp? {
        let rest = line.dropFirst(5)
        return rest.firstIndex(of: 0x20).flatMap { MailDate.read(rest[$0...]) }
    }

    private static func isSeparator(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.starts(with: "From ".utf8), line.count < 1_000 else { return false }
        let colon = UInt8(ascii: ":")
        return line.indices.dropFirst(5).dropLast().contains { place in
            line[place] == colon && isDigit(line[place - 1]) && isDigit(line[place + 1])
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
