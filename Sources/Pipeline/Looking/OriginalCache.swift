import Accounts
import Crypto
import Files
import Foundation
import Glibc
import Models

/// A cache of complete messages, stored beside the store: a message that was opened once can be read again at
/// once, also offline.
///
/// If the cache has more than ``limit`` bytes, opus deletes the least recently used messages, and also those
/// that were not used for ``days``. A damaged file counts as missing. If the cache fails, opus fetches the
/// message again.
struct OriginalCache: Sendable {
    let folder: String
    /// The maximum size of all files in bytes; 0: nothing is cached.
    let limit: Int
    /// nil: kept until space is needed.
    let days: Int?

    /// A digest of the rest in hex, followed by a line feed.
    private static let headLength = 65
    private static let temporary = ".new"
    /// The suffix of an unfinished download. It is deleted like the others when it is old, or when space is
    /// needed.
    private static let part = ".part"

    init(_ workspace: Workspace) {
        folder = workspace.storeFolder + "/originals"
        limit = workspace.originals.maxSize
        days = workspace.originals.maxDays
    }

    /// nil: not in the cache.
    func bytes(of id: EmailID) -> [UInt8]? {
        guard let path = path(of: id) else { return nil }
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit,
            status.st_size > Self.headLength
        else { return nil }
        let kept = [UInt8](
            unsafeUninitializedCapacity: Int(status.st_size)
        ) { buffer, count in
            while count < buffer.count, let start = buffer.baseAddress {
                let part = read(file, start + count, buffer.count - count)
                guard part > 0 else { break }
                count += part
            }
        }
        let bytes = Array(kept.dropFirst(Self.headLength))
        guard kept.count == Int(status.st_size), kept.starts(with: Self.head(of: bytes)) else { return nil }
        // Sets the time of use.
        _ = futimens(file, nil)
        return bytes
    }

    func keep(_ bytes: [UInt8], of id: EmailID) {
        guard let path = path(of: id), bytes.count + Self.headLength <= limit else { return }
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { return }
        let temporary = folder + "/" + Self.temporary + "\(getpid())"
        try? ReplacedFile.write(Self.head(of: bytes) + bytes, to: path, through: temporary)
        trim()
    }

    /// The file for an unfinished download of a message.
    func download(of id: EmailID, size: Int) -> OriginalDownload {
        guard size <= limit, let path = path(of: id), mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            return OriginalDownload(path: nil)
        }
        return OriginalDownload(path: path + Self.part)
    }

    /// Bytes of all files on disk, found without reading them.
    var bytesOnDisk: Int64 { files().reduce(0) { $0 + Int64($1.size) } }

    private static func head(of bytes: [UInt8]) -> [UInt8] {
        Array(Hex.encode(SHA256.hash(bytes)).utf8) + [0x0A]
    }

    /// opus makes the ids, so they contain only lower-case letters and digits.
    private func path(of id: EmailID) -> String? {
        let isPlain = id.rawValue.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
        guard isPlain, !id.rawValue.isEmpty, id.rawValue.utf8.count <= 128 else { return nil }
        return folder + "/" + id.rawValue
    }

    private struct Kept {
        var path: String
        var size: Int
        var used: Int
    }

    private func files() -> [Kept] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var kept: [Kept] = []
        for name in names {
            var status = stat()
            guard lstat(folder + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                continue
            }
            let used = Int(status.st_mtim.tv_sec) * 1_000_000 + Int(status.st_mtim.tv_nsec) / 1_000
            kept.append(Kept(path: folder + "/" + name, size: Int(status.st_size), used: used))
        }
        return kept
    }

    /// Deletes files that are too old, and the least recently used ones if the cache is too large.
    func trim() {
        var kept = files()
        if let days {
            let oldest = (time(nil) - days * 86_400) * 1_000_000
            kept.removeAll { $0.used < oldest && unlink($0.path) == 0 }
        }
        var total = kept.reduce(0) { $0 + $1.size }
        for oldest in kept.sorted(by: { $0.used < $1.used }) where total > limit {
            if unlink(oldest.path) == 0 { total -= oldest.size }
        }
    }
}
