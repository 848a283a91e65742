import Glibc
public import Models

extension InspectionFile {
    /// The longest piece in bytes, whatever the caller requests.
    private static let longestPiece = 1 << 20

    /// Reads the file in pieces of this many bytes, the last one shorter; `-` is standard input.
    ///
    /// It keeps nothing, so the file may have any size.
    public static func forEachPiece(
        of path: String, bytes: Int, _ take: (ArraySlice<UInt8>) throws(Problem) -> Void
    ) throws(Problem) {
        guard path != "-" else {
            return try forEachPiece(STDIN_FILENO, of: "standard input", bytes: bytes, take)
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw cannotRead(path, errno) }
        defer { close(descriptor) }
        try forEachPiece(descriptor, of: path, bytes: bytes, take)
    }

    private static func forEachPiece(
        _ descriptor: Int32, of name: String, bytes: Int, _ take: (ArraySlice<UInt8>) throws(Problem) -> Void
    ) throws(Problem) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw cannotRead(name, errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw isFolder(name) }
        let size = min(max(1, bytes), longestPiece)
        // Many small pieces are read at once, and cut afterwards.
        let room = size * max(1, (64 << 10) / size)
        while true {
            let block = try read(descriptor, of: name, atMost: room)
            var rest = block[...]
            while !rest.isEmpty {
                try take(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            guard block.count == room else { return }
        }
    }
}
