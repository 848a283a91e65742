import Foundation
import Models

/// One message in the list of deferred messages: what it is called in any store, when it comes back, and which rules
/// deferred it. It stays in the list while it is back in the inbox, so that no other store lets the same rules defer it again.
struct DeferredEntry: Hashable, Codable, Sendable {
    /// SHA-256 of its header, hex.
    var header: String
    var messageID: String?
    var until: DeferredUntil
    /// When that was decided.
    var setAt: Timestamp
    var from: String
    var subject: String
    /// Names of rules; nil: none, or a version of opus wrote it that did not note them.
    var rules: [String]?
    /// `true`: it came back; nil: it waits.
    var isBack: Bool?

    private enum CodingKeys: String, CodingKey {
        case header
        case messageID = "message-id"
        case until
        case setAt = "set"
        case from
        case subject
        case rules
        case isBack = "back"
    }

    /// Whether both say the same; names and subjects are for people, and it does not matter when mail that is back was deferred.
    func agrees(with other: DeferredEntry) -> Bool {
        header == other.header && rules == other.rules && isBack == other.isBack
            && (isBack == true || until == other.until && setAt == other.setAt)
    }

    /// The next to come back first, then those that are back.
    static func order(_ a: DeferredEntry, _ b: DeferredEntry) -> Bool {
        a.rank < b.rank
    }

    private var rank: (Int, Int64, String) {
        isBack == true ? (1, 0, header) : (0, until.time?.seconds ?? .max, header)
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
