import Foundation
import Models

/// One message in the list of deferred messages: what it is called in any store, and when it comes back.
struct DeferredEntry: Hashable, Codable, Sendable {
    /// SHA-256 of its header, hex.
    var header: String
    var messageID: String?
    var until: DeferredUntil
    /// When that was decided.
    var setAt: Timestamp
    var from: String
    var subject: String

    private enum CodingKeys: String, CodingKey {
        case header
        case messageID = "message-id"
        case until
        case setAt = "set"
        case from
        case subject
    }

    /// Whether both say the same; names and subjects are for people.
    func agrees(with other: DeferredEntry) -> Bool {
        header == other.header && until == other.until && setAt == other.setAt
    }

    /// The next to come back first.
    static func order(_ a: DeferredEntry, _ b: DeferredEntry) -> Bool {
        let late = Int64.max
        return (a.until.time?.seconds ?? late, a.header) < (b.until.time?.seconds ?? late, b.header)
    }
}

/// The machine-readable part of a list.
struct DeferredEntries: Codable, Sendable {
    private var schema = Self.name
    var entries: [DeferredEntry]

    private static let name = "deferred-list/1"
    /// Of a longer list, the messages that come back first are kept.
    private static let most = 5_000
    private static let mostBytes = 8 << 20

    init(_ entries: [DeferredEntry]) {
        self.entries = Array(entries.sorted(by: DeferredEntry.order).prefix(Self.most))
    }

    /// nil: it is not a list, or one of a later version.
    init?(json: [UInt8]) {
        guard json.count <= Self.mostBytes,
            let read = try? JSONDecoder().decode(DeferredEntries.self, from: Data(json)),
            read.schema == Self.name, read.entries.count <= Self.most
        else { return nil }
        self = read
    }

    func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }

    func agrees(with other: DeferredEntries) -> Bool {
        entries.count == other.entries.count && zip(entries, other.entries).allSatisfy { $0.agrees(with: $1) }
    }
}
