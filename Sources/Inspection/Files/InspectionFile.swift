import Glibc
public import Models

/// Reads a whole file named on the command line; `-` is standard input.
///
/// A file or an input larger than ``limit`` is refused before it fills the memory.
public enum InspectionFile {
    public static let limit = 256 << 20

    /// Whether a word names a file and not an id: it has a `/` or a `.`, or is `-`.
    public static func isMeant(by word: String) -> Bool {
        word == "-" || word.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }
    }

    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    public static func read(_ path: String, limit: Int = limit) throws(Problem) -> [UInt8] {
        guard path != "-" else { return try read(STDIN_FILENO, of: "standard input", limit: limit) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw cannotRead(path, errno) }
        defer { close(descriptor) }
        return try read(descriptor, of: path, limit: limit)
    }

    private static func read(_ descriptor: Int32, of name: String, limit: Int) throws(Problem) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw cannotRead(name, errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw isFolder(name) }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        guard !isFile || status.st_size <= limit else { throw tooLarge(name, limit) }
        // One more byte than the size, so that one read finds the end of the file.
        var room = isFile ? Int(status.st_size) + 1 : 64 << 10
        var bytes: [UInt8] = []
        while true {
            let piece = try read(descriptor, of: name, atMost: room)
            if bytes.isEmpty { bytes = piece } else { bytes += piece }
            guard bytes.count <= limit else { throw tooLarge(name, limit) }
            guard piece.count == room else { return bytes }
            room = min(max(64 << 10, bytes.count), 16 << 20)
        }
    }

    /// Returns fewer bytes than requested only at the end.
    static func read(
        _ descriptor: Int32, of name: String, atMost room: Int
    ) throws(Problem) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            while count < room, let start = buffer.baseAddress {
                let got = Glibc.read(descriptor, start + count, room - count)
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                guard got > 0 else { return }
                count += got
            }
        }
        guard failure == 0 else { throw cannotRead(name, failure) }
        return bytes
    }

    static func isFolder(_ name: String) -> Problem {
        Problem(
            "is-folder", exit: .badData, message: "\(name) is a folder, not a file",
            next: ["name the files in it: \(name.hasSuffix("/") ? name : name + "/")*"])
    }

    private static func tooLarge(_ name: String, _ limit: Int) -> Problem {
        Problem(
            "file-too-large", exit: .badData,
            message: "\(name) is larger than \(limit >> 20) MiB, so it was not read")
    }

    static func cannotRead(_ name: String, _ number: Int32) -> Problem {
        let reason = String(cString: strerror(number))
        guard number != ENOENT && number != ENOTDIR else {
            return Problem("no-such-file", exit: .notFound, message: "file \(name) not found")
        }
        return Problem("cannot-read", exit: .inputOutput, message: "cannot read \(name): \(reason)")
    }
}
