import Foundation
import Models

/// One message in the list of deferred messages: its identity in any store, its date, and the rules that
/// deferred it. It stays in the list while it is back in the inbox, so that the same rules do not defer it
/// again in another store, and until it is opened, so that another store shows it as back, too.
struct DeferredEntry: Hashable, Codable, Sendable {
    /// SHA-256 of its header, in hex.
    var header: String
    var messageID: String?
    var until: DeferredUntil
    /// When that date was set.
    var setAt: Timestamp
    var from: String
    var subject: String
    /// Names of rules; nil: none, or an older version of opus wrote the list.
    var rules: [String]?
    /// `true`: it came back; nil: it is deferred.
    var isBack: Bool?
    /// `true`: a store found the message in the mailbox without a date, and knew of no decision.
    var isAssumed: Bool?

    private enum CodingKeys: String, CodingKey {
        case header
        case messageID = "message-id"
        case until
        case setAt = "set"
        case from
        case subject
        case rules
        case isBack = "back"
        case isAssumed = "assumed"
    }

    /// Whether both entries have the same meaning. Names and subjects are only for users, and for mail that
    /// is back, the time when it was deferred does not matter.
    func agrees(with other: DeferredEntry) -> Bool {
        header == other.header && rules == other.rules && isBack == other.isBack
            && (isBack == true
                || until == other.until && setAt == other.setAt
                    && (isAssumed == true) == (other.isAssumed == true))
    }

    var decision: Decision { Decision(until: until, setAt: setAt, isAssumed: isAssumed == true) }

    func counts(over other: DeferredEntry) -> Bool { decision.counts(over: other.decision) }

    /// Until when a message waits, and who says so.
    struct Decision {
        var until: DeferredUntil
        var setAt: Timestamp
        var isAssumed: Bool

        /// Whether this decision about a message counts, and not the other one. A decision counts over an assumption, and the
        /// later decision over the earlier one. Of two decisions of the same second, every machine must choose the same
        /// one: the earlier date.
        func counts(over other: Decision) -> Bool {
            guard isAssumed == other.isAssumed else { return other.isAssumed }
            guard setAt == other.setAt else { return setAt > other.setAt }
            return (until.time?.seconds ?? .max) < (other.until.time?.seconds ?? .max)
        }
    }

    /// Sorted by date; messages that are back are last.
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
    /// A longer list is cut to the messages that come back first.
    private static let most = 5_000
    private static let mostBytes = 8 << 20

    init(_ entries: [DeferredEntry]) {
        self.entries = Array(entries.sorted(by: DeferredEntry.order).prefix(Self.most))
    }

    /// nil: the text is not a list, or a later version wrote it.
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
