import IMAPProtocol
import NIOCore

/// A fetch of many messages: which commands are running, and which messages are complete. RFC 3501 §5.5, §7.4.2.
///
/// A pure value. Several commands run at once, so that the connection is never idle. A server may spread one message
/// over several responses, and may send flags of any message in between.
struct FetchPipeline {
    /// The most messages that may be incomplete at once.
    private static let maximumPartial = 10_000
    /// How many delivered messages to remember. Beyond this, a repeated message is delivered again.
    private static let maximumDelivered = 2_000_000
    /// The most octets between the ends of two commands that belong to no requested message.
    private static let mostStrayOctets = 256 * 1_024 * 1_024
    /// The most refusals to accept while searching for unreadable messages.
    private static let maximumRefusals = 64

    let uids: UIDSet
    let items: FetchItems
    private let depth: Int
    private var pending: [UIDSet]
    /// The oldest first, which is also the server's order.
    private var running: [(tag: CommandTag, set: UIDSet)] = []
    private let skipsUnreadable: Bool
    private var refusals = 0
    private var partial: [UInt32: FetchResponse] = [:]
    /// Octets since the last end of a command that belong to no requested message.
    private var strayOctets = 0
    private var delivered: Set<UInt32> = []
    /// The first NO or BAD that ends the fetch; messages of other running commands still come.
    private(set) var refusal: StatusResponse?

    /// One or more commands for each set, in their order.
    ///
    /// `skipsUnreadable`: if a server answers NO because of one message, the halves of the set are requested, until
    /// only that message is missing.
    init(_ sets: [UIDSet], items: FetchItems, depth: Int, longestSet: Int, skipsUnreadable: Bool = false) {
        self.skipsUnreadable = skipsUnreadable
        uids = sets.reduce(UIDSet()) { $0.union($1) }
        self.items = items
        self.depth = max(1, min(depth, 25))
        pending = sets.flatMap { $0.split(maximumBytes: longestSet) }.reversed()
    }

    var isFinished: Bool { pending.isEmpty && running.isEmpty }

    /// The next set to request, if another command may run. After a refusal there are no new ones.
    mutating func nextSet() -> UIDSet? {
        guard running.count < depth else { return nil }
        return pending.popLast()
    }

    mutating func start(_ tag: CommandTag, _ set: UIDSet) { running.append((tag, set)) }

    /// The end of a command; false: the command does not belong to this pipeline.
    mutating func receiveTagged(_ tag: CommandTag, _ status: StatusResponse) -> Bool {
        guard let index = running.firstIndex(where: { $0.tag == tag }) else { return false }
        let set = running.remove(at: index).set
        strayOctets = 0
        if !status.isOK, !narrow(set, status) {
            refusal = refusal ?? status
            pending = []
        }
        return true
    }

    /// Requests the halves of what a refused command did not return; false: the refusal ends the fetch.
    private mutating func narrow(_ set: UIDSet, _ status: StatusResponse) -> Bool {
        guard skipsUnreadable, status.status == .no, refusal == nil, refusals < Self.maximumRefusals,
            set.count <= Self.maximumPartial
        else { return false }
        refusals += 1
        let rest = set.uids.filter { !delivered.contains($0) }
        // If nothing came at all, not even for the smallest set, the refusal is not about one message.
        guard rest.count > 1 else { return !delivered.isEmpty || !pending.isEmpty || !running.isEmpty }
        let middle = rest.count / 2
        pending += [UIDSet(rest[..<middle]), UIDSet(rest[middle...])]
        return true
    }

    /// Whether the message was requested and has not come yet.
    private func wants(_ uid: UInt32?) -> Bool {
        uid.map { uids.contains($0) && !delivered.contains($0) } ?? false
    }

    /// Like ``receive(_:)``, for any response. A server that keeps sending other messages makes no progress; ``excess``
    /// reports when it has sent too much.
    mutating func receive(_ response: Untagged, octets: Int) -> FetchedMessage? {
        guard case .fetch(let fetch) = response, wants(fetch.uid) else {
            strayOctets += octets
            return nil
        }
        return receive(fetch)
    }

    /// nil: the limits are kept; otherwise what exceeds them.
    var excess: String? {
        strayOctets <= Self.mostStrayOctets
            ? nil : "\(strayOctets) bytes that belong to no requested message"
    }

    /// The requested message that this response completes.
    mutating func receive(_ response: FetchResponse) -> FetchedMessage? {
        guard let uid = response.uid, wants(uid) else { return nil }
        var known = partial[uid] ?? response
        if partial[uid] != nil { known.merge(response) }
        let isComplete = items.wantData ? items.areIn(known) : items.missing(in: known).isEmpty
        guard isComplete || (partial.count >= Self.maximumPartial && !items.wantData) else {
            if partial.count < Self.maximumPartial { partial[uid] = known }
            return nil
        }
        partial[uid] = nil
        if delivered.count < Self.maximumDelivered { delivered.insert(uid) }
        return FetchedMessage(uid, known, items)
    }

    /// The part of the oldest command that has not come.
    var unanswered: UnansweredFetch? {
        guard let set = running.first?.set,
            let first = set.ranges.lazy.compactMap({ $0.first { !delivered.contains($0) } }).first,
            let last = set.ranges.reversed().lazy.compactMap({ $0.last { !delivered.contains($0) } }).first
        else { return nil }
        return UnansweredFetch(uids: first...last, isAlone: set.count == 1)
    }

    /// Messages of which only a part came, after all commands have ended.
    mutating func takeIncomplete() -> [FetchedMessage] {
        defer { partial = [:] }
        return partial.sorted { $0.key < $1.key }.map { FetchedMessage($0.key, $0.value, items) }
    }
}

/// A FETCH during which the connection broke.
public struct UnansweredFetch: Equatable, Sendable {
    /// The first and the last UID that were requested and did not come.
    public var uids: ClosedRange<UInt32>
    /// Whether only one message was requested.
    public var isAlone: Bool
}
