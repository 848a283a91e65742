import Crypto
import Files
import Foundation
import Glibc
import Models
import SyncEngine

/// Downloads a message in pieces. Received pieces are kept in memory and in a file beside the cache, so that
/// an interrupted download continues where it stopped: after a reconnection, and in the next command.
///
/// The first line of the file identifies the message, its UIDVALIDITY and its size. All pieces but
/// the last have the same length, and each is preceded by its digest. A piece that a crash damaged counts as missing,
/// as do all later ones.
actor OriginalDownload {
    /// Received pieces are valid only while this is unchanged.
    struct Identity: Equatable {
        var mailbox: MailboxName
        var uidValidity: UInt32
        var uid: UInt32
        /// As the server reports it.
        var size: Int

        fileprivate var line: String {
            let name = Hex.encode(mailbox.bytes)
            return "opus-part 1 \(uidValidity) \(uid) \(size) \(name)\n"
        }
    }

    /// Octets per request: at most this much is lost when the connection breaks.
    static let pieceSize = 512 << 10

    /// nil: received pieces are kept in memory only.
    private var path: String?
    private var bytes: [UInt8] = []
    private var identity: Identity?

    var count: Int { bytes.count }

    /// `path`: the file; nil: no file is used.
    init(path: String?) { self.path = path }

    /// Reads the missing pieces from the open mailbox. nil: the message was removed, cannot be read in
    /// pieces, or has another size than the server reports.
    func read(_ place: MessagePlace, from source: any MailSource, atMost limit: Int) async throws -> [UInt8]?
    {
        let listed = ListedMessage(uid: place.key.uid, remoteName: place.remoteName)
        guard let size = try await source.size(of: listed), size <= limit else { return nil }
        begin(
            Identity(
                mailbox: place.mailbox.name, uidValidity: place.key.uidValidity, uid: place.key.uid,
                size: size))
        while count < size {
            let piece = try await source.piece(of: listed, from: count, count: Self.pieceSize)
            guard let piece, !piece.isEmpty else { break }
            add(piece)
            if piece.count < Self.pieceSize { break }
        }
        let whole = bytes
        forget()
        return whole.count == size ? whole : nil
    }

    /// Starts with the current identity of the message. Pieces of another one are discarded.
    private func begin(_ wanted: Identity) {
        guard wanted != identity else { return }
        identity = wanted
        bytes = path.flatMap { Self.read($0, wanted) } ?? []
    }

    private func add(_ piece: [UInt8]) {
        let isFirst = bytes.isEmpty
        bytes += piece
        // A message of one piece needs no file.
        guard let path, let identity, piece.count == Self.pieceSize, bytes.count < identity.size else {
            return
        }
        let flags = isFirst ? O_TRUNC : 0
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | flags, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        let record = (isFirst ? Array(identity.line.utf8) : []) + Self.head(of: piece) + piece
        let written = record.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard written != record.count else { return }
        // Writing failed, for example because the disk is full: an incomplete file is useless.
        unlink(path)
        self.path = nil
    }

    /// Called when the message is complete, or when the received pieces are useless.
    private func forget() {
        bytes = []
        identity = nil
        if let path { unlink(path) }
    }

    private static let headLength = 65

    private static func head(of piece: some Collection<UInt8>) -> [UInt8] {
        Array(Hex.encode(SHA256.hash(Array(piece))).utf8) + [0x0A]
    }

    /// The complete pieces of the file; nil: there is no file, or it belongs to another message.
    private static func read(_ path: String, _ identity: Identity) -> [UInt8]? {
        var status = stat()
        let line = Array(identity.line.utf8)
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= 2 * identity.size + pieceSize,
            let content = FileManager.default.contents(atPath: path), content.starts(with: line)
        else { return nil }
        var bytes: [UInt8] = []
        var rest = content.dropFirst(line.count)
        while rest.count >= headLength + pieceSize {
            let piece = rest.dropFirst(headLength).prefix(pieceSize)
            guard rest.starts(with: head(of: piece)) else { break }
            bytes += piece
            rest = rest.dropFirst(headLength + pieceSize)
        }
        // Later pieces must follow complete ones.
        if !rest.isEmpty, truncate(path, off_t(content.count - rest.count)) != 0 { return nil }
        return bytes
    }
}
