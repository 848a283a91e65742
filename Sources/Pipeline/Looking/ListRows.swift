import Foundation
import Glibc
import Models

/// The row numbers of the last list on this terminal: `opus archive 3`, `opus task done 3`.
///
/// Ids never change. A row number belongs to one list, and is valid until the next list on the same terminal,
/// for a few hours. See docs/decisions/0019-row-numbers.md.
struct ListRows: Sendable {
    /// The kind of the listed items.
    enum Kind: String {
        case messages
        case tasks
        case drafts
    }

    private let folder: String
    /// Identifies the terminal; used as a file name.
    private let terminal: String
    private let now: Timestamp

    /// In seconds.
    private static let lifetime: Int64 = 12 * 3_600
    static let most = 999

    init(storeFolder: String, now: Timestamp) {
        folder = storeFolder + "/rows"
        terminal = Self.terminal
        self.now = now
    }

    /// The terminal and its session. All processes without a terminal share one name.
    private static var terminal: String {
        var name = [CChar](repeating: 0, count: 256)
        for descriptor in [STDERR_FILENO, STDIN_FILENO, STDOUT_FILENO]
        where ttyname_r(descriptor, &name, name.count) == 0 {
            let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let safe = text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
            return String(safe.suffix(60)) + ".\(getsid(0))"
        }
        return "none"
    }

    /// A number of at most three digits. Short ids have at least four characters, so the two cannot be
    /// confused.
    static func number(_ typed: String) -> Int? {
        guard (1...3).contains(typed.utf8.count), typed.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(typed)
    }

    // MARK: Writing

    func save(_ ids: [String], _ kind: Kind) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        removeOld()
        // A UID may contain any character except a line break.
        let lines =
            ["1 \(kind.rawValue) \(now.seconds)"]
            + ids.prefix(Self.most).map { Data($0.utf8).base64EncodedString() }
        try Data(lines.joined(separator: "\n").utf8).write(
            to: URL(filePath: folder + "/" + terminal), options: .atomic)
    }

    /// Removes the lists of closed terminals.
    private func removeOld() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let list = list(name), isStale(list) else { continue }
            try? FileManager.default.removeItem(atPath: folder + "/" + name)
        }
    }

    // MARK: Reading

    private struct List {
        var kind: Kind
        var savedAt: Timestamp
        var rows: [String]
    }

    private func list(_ name: String) -> List? {
        guard let data = FileManager.default.contents(atPath: folder + "/" + name), data.count < 1 << 20
        else {
            return nil
        }
        let lines = String(decoding: data, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        let head = lines.first?.split(separator: " ") ?? []
        guard head.count == 3, head[0] == "1", let kind = Kind(rawValue: String(head[1])),
            let seconds = Int64(head[2])
        else { return nil }
        let rows = lines.dropFirst().map { line in
            Data(base64Encoded: String(line)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        return List(kind: kind, savedAt: Timestamp(seconds: seconds), rows: rows)
    }

    private func isStale(_ list: List) -> Bool { abs(now - list.savedAt) > Self.lifetime }

    /// The id in a row. Throws if the list is too old or of another kind.
    func id(_ number: Int, _ kind: Kind) throws -> String {
        let next = [kind.command]
        guard let list = list(terminal), list.rows.indices.contains(number - 1) else {
            let message = "the last list on this terminal has no row \(number)"
            switch kind {
            case .tasks: throw Problem("no-such-task", exit: .notFound, message: message, next: next)
            case .messages: throw Problem("no-such-message", exit: .notFound, message: message, next: next)
            case .drafts: throw Problem("no-such-draft", exit: .notFound, message: message, next: next)
            }
        }
        guard list.kind == kind else {
            throw Problem(
                "stale-row", exit: .usage,
                message:
                    "row \(number): the last list on this terminal has \(list.kind.rawValue), not \(kind.rawValue)",
                next: next)
        }
        guard !isStale(list) else {
            throw Problem(
                "stale-row", exit: .usage,
                message:
                    "row \(number) belongs to a list that was shown more than \(Self.lifetime / 3_600) hours ago",
                next: next)
        }
        return list.rows[number - 1]
    }
}

extension ListRows.Kind {
    /// The command that shows such a list.
    fileprivate var command: String {
        switch self {
        case .messages: "opus list"
        case .tasks: "opus task list"
        case .drafts: "opus drafts"
        }
    }
}
