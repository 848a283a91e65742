import Glibc
import Models

/// The times of a Maildir's folders: while they stay the same, no message was added, removed or marked. Reading them is
/// much faster than reading the names of 100,000 messages.
public struct MaildirShape: Sendable {
    struct Part: Equatable {
        let inode: UInt64
        let modified: [Int]

        init(_ status: stat) {
            inode = UInt64(status.st_ino)
            modified = [
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            ]
        }
    }

    /// The resolution of file times in seconds. Some file systems have one or two seconds.
    static let grain = 3

    private var parts: [[UInt8]: [Part?]] = [:]
    private var youngest = 0
    private let taken: Int

    fileprivate init(taken: Int) { self.taken = taken }

    fileprivate mutating func add(_ name: [UInt8], _ status: stat?) {
        let part = status.map(Part.init)
        youngest = max(youngest, part?.modified[0] ?? 0, part?.modified[2] ?? 0)
        parts[name, default: []].append(part)
    }

    /// Whether a later change must have another time, because nothing changed just before this was read.
    public var isSettled: Bool { youngest + Self.grain <= taken }

    public func isSame(as other: Self) -> Bool { parts == other.parts }
}

extension Maildir {
    /// The current times of all folders.
    public func shape() throws(MaildirError) -> MaildirShape { try shape(at: time(nil)) }

    func shape(at now: Int) throws(MaildirError) -> MaildirShape {
        let root = try openRoot()
        var shape = MaildirShape(taken: now)
        shape.add([], root.folder.status())
        for name in [.inbox] + (try root.layout.names(in: root.folder, path: root.path)) {
            guard let folder = try open(name, in: root) else { continue }
            shape.add(name.bytes, folder.base.status())
            shape.add(name.bytes, folder.cur.status())
            switch folder.new {
            case .some(let new): shape.add(name.bytes, new.status())
            case .none: shape.add(name.bytes, nil)
            }
            shape.add(name.bytes, KeywordFile.status(in: folder))
        }
        return shape
    }
}
