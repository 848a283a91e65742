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

    let uids: UIDSet
    let items: FetchItems
    private let depth: Int
    private var pending: [UIDSet]
    private var running: Set<CommandTag> = []
    private var partial: [UInt32: FetchResponse] = [:]
    private var delivered: Set<UInt32> = []
    /// The first NO or BAD; messages of the other commands still come.
    private(set) var refusal: StatusResponse?

    init(uids: UIDSet, items: FetchItems, depth: Int, longestSet: Int) {
        self.uids = uids
        self.items = items
        self.depth = max(1, min(depth, 25))
        pending = uids.split(maximumBytes: longestSet).reversed()
    }

    var isFinished: Bool { pending.isEmpty && running.isEmpty }

    /// The next command, while there is room for one. After a refusal no new ones are begun.
    mutating func nextCommand() -> Command? {
        guard running.count < depth, let set = pending.popLast() else { return nil }
        return .uidFetch(set, items)
    }

    mutating func start(_ tag: CommandTag) { running.insert(tag) }

    /// The end of a command; false when it was none of ours.
    mutating func receiveTagged(_ tag: CommandTag, _ status: StatusResponse) -> Bool {
        guard running.remove(tag) != nil else { return false }
        if !status.isOK {
            refusal = refusal ?? status
            pending = []
        }
        return true
    }

    /// The message, when the response completes one that was asked for.
    mutating func receive(_ response: FetchResponse) -> FetchedMessage? {
        guard let uid = response.uid, uids.contains(uid), !delivered.contains(uid) else { return nil }
        var known = partial[uid] ?? response
        if partial[uid] != nil { known.merge(response) }
        let isComplete = wantsData ? hasData(known) : missing(known).isEmpty
        guard isComplete || (partial.count >= Self.maximumPartial && !wantsData) else {
            if partial.count < Self.maximumPartial { partial[uid] = known }
            return nil
        }
        partial[uid] = nil
        if delivered.count < Self.maximumDelivered { delivered.insert(uid) }
        return message(uid, known)
    }

    /// Messages of which something came but not all, when every command has ended.
    mutating func takeIncomplete() -> [FetchedMessage] {
        defer { partial = [:] }
        return partial.sorted { $0.key < $1.key }.map { message($0.key, $0.value) }
    }
}

extension FetchPipeline {
    private var wantsData: Bool { items.header || items.body != nil }

    private func hasData(_ response: FetchResponse) -> Bool {
        (!items.header || response.section("HEADER") != nil)
            && (items.body == nil || response.section("") != nil)
    }

    private func missing(_ response: FetchResponse) -> Set<FetchedMessage.Item> {
        var missing: Set<FetchedMessage.Item> = []
        if items.flags, response.flags == nil { missing.insert(.flags) }
        if items.internalDate, response.internalDate == nil { missing.insert(.internalDate) }
        if items.size, response.size == nil { missing.insert(.size) }
        if items.modSeq, response.modSeq == nil { missing.insert(.modSeq) }
        if items.header, header(response) == nil { missing.insert(.header) }
        if items.body != nil, body(response) == nil { missing.insert(.body) }
        return missing
    }

    private func message(_ uid: UInt32, _ response: FetchResponse) -> FetchedMessage {
        FetchedMessage(
            uid: uid, flags: response.flags ?? [], internalDate: response.internalDate,
            size: response.size.flatMap { Int(exactly: $0) }, header: header(response),
            body: body(response), modSeq: response.modSeq, missing: missing(response),
            omittedSize: omittedSize(response))
    }

    private func header(_ response: FetchResponse) -> ByteBuffer? {
        guard case .bytes(let buffer) = response.section("HEADER")?.content,
            buffer.readableBytes <= items.headerMaximum
        else { return nil }
        return buffer
    }

    /// Never longer than what was asked for, also from a server that does not know partial fetches.
    private func body(_ response: FetchResponse) -> ByteBuffer? {
        guard case .bytes(let buffer) = response.section("")?.content else { return nil }
        return switch items.body {
        case nil: nil
        case .whole(let maximum): buffer.readableBytes <= maximum ? buffer : nil
        case .first(let count):
            buffer.getSlice(at: buffer.readerIndex, length: min(max(1, count), buffer.readableBytes))
        }
    }

    private func omittedSize(_ response: FetchResponse) -> Int? {
        for section in response.sections {
            switch section.content {
            case .omitted(let size): return size
            case .bytes(let buffer):
                let isHeader = section.name == "HEADER" && items.header
                if isHeader ? header(response) == nil : body(response) == nil && items.body != nil {
                    return buffer.readableBytes
                }
            case .missing: continue
            }
        }
        return nil
    }
}
