import IMAPProtocol
import NIOCore

/// A fetch of many messages: which commands are on the wire, and which message is complete.
///
/// A pure value. Several commands run at once, so that the line is never idle. A server may spread one message
/// over several responses, and may send flags of any message unasked in between. RFC 3501 §5.5, §7.4.2.
struct FetchPipeline {
    /// How many messages may wait for their second half.
    private static let maximumPartial = 10_000
    /// How many messages are remembered as delivered; beyond that a repeated one is delivered again.
    private static let maximumDelivered = 2_000_000
    /// The most that may come between the ends of two commands and belongs to no requested message.
    private static let mostStrayOctets = 256 * 1_024 * 1_024
    /// How many refusals are borne while the messages that cannot be read are sought.
    private static let maximumRefusals = 64

    let uids: UIDSet
    let items: FetchItems
    private let depth: Int
    private var pending: [UIDSet]
    /// The oldest first: servers carry them out in that order.
    private var running: [(tag: CommandTag, set: UIDSet)] = []
    private let skipsUnreadable: Bool
    private var refusals = 0
    private var partial: [UInt32: FetchResponse] = [:]
    /// What came since the last end of a command, and belongs to no requested message.
    private var strayOctets = 0
    private var delivered: Set<UInt32> = []
    /// The first NO or BAD that ends it; messages of the other commands still come.
    private(set) var refusal: StatusResponse?

    /// One command or more for each set, in their order.
    ///
    /// `skipsUnreadable`: when a server answers NO because of one message, the halves of the set are requested, until
    /// only that message is left out.
    init(_ sets: [UIDSet], items: FetchItems, depth: Int, longestSet: Int, skipsUnreadable: Bool = false) {
        self.skipsUnreadable = skipsUnreadable
        uids = sets.reduce(UIDSet()) { $0.union($1) }
        self.items = items
        self.depth = max(1, min(depth, 25))
        pending = sets.flatMap { $0.split(maximumBytes: longestSet) }.reversed()
    }

    var isFinished: Bool { pending.isEmpty && running.isEmpty }

    /// The next set to ask for, while there is room for a command. After a refusal no new ones are begun.
    mutating func nextSet() -> UIDSet? {
        guard running.count < depth else { return nil }
        return pending.popLast()
    }

    mutating func start(_ tag: CommandTag, _ set: UIDSet) { running.append((tag, set)) }

    /// The end of a command; false when the command is not one of this pipeline.
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

    /// Asks for the halves of what a refused command did not bring; false when the refusal ends the fetch.
    private mutating func narrow(_ set: UIDSet, _ status: StatusResponse) -> Bool {
        guard skipsUnreadable, status.status == .no, refusal == nil, refusals < Self.maximumRefusals,
            set.count <= Self.maximumPartial
        else { return false }
        refusals += 1
        let rest = set.uids.filter { !delivered.contains($0) }
        // Nothing came at all, not even of the smallest set: it is not about one message.
        guard rest.count > 1 else { return !delivered.isEmpty || !pending.isEmpty || !running.isEmpty }
        let middle = rest.count / 2
        pending += [UIDSet(rest[..<middle]), UIDSet(rest[middle...])]
        return true
    }

    /// Whether the message was requested and has not come yet.
    private func wants(_ uid: UInt32?) -> Bool {
        uid.map { uids.contains($0) && !delivered.contains($0) } ?? false
    }

    /// As ``receive(_:)``, for whatever came. A server that keeps sending other messages brings nothing, however much
    /// it sends: ``excess`` says when that is enough.
    mutating func receive(_ response: Untagged, octets: Int) -> FetchedMessage? {
        guard case .fetch(let fetch) = response, wants(fetch.uid) else {
            strayOctets += octets
            return nil
        }
        return receive(fetch)
    }

    /// nil while the limits are kept, else what is wrong.
    var excess: String? {
        strayOctets <= Self.mostStrayOctets
            ? nil : "\(strayOctets) bytes that belong to no requested message"
    }

    /// The message, when the response completes one that was requested.
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

    /// What of the oldest command has not come.
    var unanswered: UnansweredFetch? {
        guard let set = running.first?.set,
            let first = set.ranges.lazy.compactMap({ $0.first { !delivered.contains($0) } }).first,
            let last = set.ranges.reversed().lazy.compactMap({ $0.last { !delivered.contains($0) } }).first
        else { return nil }
        return UnansweredFetch(uids: first...last, isAlone: set.count == 1)
    }

    /// Messages of which something came but not all, when every command has ended.
    mutating func takeIncomplete() -> [FetchedMessage] {
        defer { partial = [:] }
        return partial.sorted { $0.key < $1.key }.map { FetchedMessage($0.key, $0.value, items) }
    }
}

/// A FETCH that the connection did not survive.
public struct UnansweredFetch: Equatable, Sendable {
    /// From the first to the last UID that was requested and did not come.
    public var uids: ClosedRange<UInt32>
    /// Whether only one message was requested.
    public var isAlone: Bool
}
