public import IMAPProtocol

/// One mailbox of a pass over many: its known state, and what to fetch of its new messages.
public struct ResyncRequest: Sendable {
    public var mailbox: [UInt8]
    public var known: ResyncState
    /// The UIDs of new messages; nil: there are none.
    public var new: ClosedRange<UInt32>?
    public var items: FetchItems

    public init(
        mailbox: [UInt8], known: ResyncState, new: ClosedRange<UInt32>? = nil,
        items: FetchItems = FetchItems()
    ) {
        self.mailbox = mailbox
        self.known = known
        self.new = new
        self.items = items
    }
}

/// A pass over many mailboxes with EXAMINE (QRESYNC …) and FETCH, with several commands at once. It assigns each answer
/// to its mailbox.
///
/// A pure value. A server must answer these commands in order, because each depends on the one before (RFC 3501 §5.5);
/// an answer out of order ends the session. Responses before `[CLOSED]` belong to the previous mailbox. Nothing is used
/// of a mailbox whose SELECT failed or whose UIDVALIDITY has changed.
struct ResyncPass {
    enum Step: Equatable {
        case select(Int)
        case fetch(Int)
    }

    struct Arrival: Equatable {
        var request: Int
        var message: FetchedMessage
    }

    /// The most responses to one SELECT that do not report changes.
    private static let maximumUntagged = 10_000

    let requests: [ResyncRequest]
    private(set) var results: [SelectedMailbox?]
    private var pending: [Step]
    private var running: [(tag: CommandTag, step: Step)] = []
    private var untagged: [Untagged] = []
    private var changes = MailboxChanges()
    /// The number of lost responses about messages at the end of the last command.
    private var losses: Int
    private var pipeline: FetchPipeline?

    init(_ requests: [ResyncRequest], losses: Int) {
        self.losses = losses
        self.requests = requests
        results = requests.map { _ in nil }
        pending = requests.indices.flatMap { index -> [Step] in
            requests[index].new == nil ? [.select(index)] : [.select(index), .fetch(index)]
        }.reversed()
    }

    /// The request whose messages the server must send first; nil: the server is opening a mailbox.
    var fetching: Int? {
        guard case .fetch(let index) = running.first?.step else { return nil }
        return index
    }

    var isFinished: Bool { pending.isEmpty && running.isEmpty }
    var runningCount: Int { running.count }

    mutating func nextStep() -> Step? { pending.popLast() }

    mutating func start(_ tag: CommandTag, _ step: Step) { running.append((tag, step)) }

    func command(_ step: Step) -> Command {
        switch step {
        case .select(let index):
            let request = requests[index]
            return .select(
                SelectRequest(request.mailbox, readOnly: true, option: .qresync(request.known)))
        case .fetch(let index):
            return .uidFetch(Self.newUIDs(requests[index]), requests[index].items)
        }
    }

    private static func newUIDs(_ request: ResyncRequest) -> UIDSet {
        request.new.map { UIDSet($0) } ?? UIDSet()
    }
}

// MARK: - Responses

extension ResyncPass {
    /// False: more responses came than a mailbox can cause.
    var isWithinLimits: Bool {
        untagged.count <= Self.maximumUntagged
            && changes.flags.count + changes.vanished.count <= ResponseLimits.standard.numbers
    }

    mutating func receive(_ response: Untagged) -> Arrival? {
        guard let current = running.first?.step else { return nil }
        switch current {
        case .select: receiveSelected(response)
        case .fetch(let index):
            guard case .fetch(let fetch) = response, let message = pipeline?.receive(fetch) else {
                return nil
            }
            return Arrival(request: index, message: message)
        }
        return nil
    }

    private mutating func receiveSelected(_ response: Untagged) {
        if changes.add(response) { return }
        switch response {
        case .status(let status):
            if status.code == .closed {
                changes = MailboxChanges()
                untagged = []
            } else {
                untagged.append(response)
            }
        case .exists:
            untagged.append(response)
        case .capability, .enabled, .list, .mailboxStatus, .search, .esearch, .flags, .recent, .expunge,
            .vanished, .fetch, .id, .namespace, .myRights, .quota, .quotaRoot, .blank, .other, .unparsable:
            break
        }
    }

    /// The end of the oldest command; nil: the tag belongs to another command. `losses`: the number of responses about
    /// messages that the session has lost so far.
    mutating func receiveTagged(
        _ tag: CommandTag, _ status: StatusResponse, losses: Int
    ) -> [Arrival]? {
        guard let first = running.first, first.tag == tag else { return nil }
        running.removeFirst()
        let isWhole = losses == self.losses
        self.losses = losses
        defer {
            untagged = []
            changes = MailboxChanges()
        }
        switch first.step {
        case .select(let index):
            pipeline = nil
            guard status.isOK else { return [] }
            endSelect(index, status, isWhole: isWhole)
            return []
        case .fetch(let index):
            let rest = pipeline?.takeIncomplete() ?? []
            pipeline = nil
            if !isWhole || !status.isOK { results[index]?.changes?.isComplete = false }
            return rest.map { Arrival(request: index, message: $0) }
        }
    }

    private mutating func endSelect(_ index: Int, _ status: StatusResponse, isWhole: Bool) {
        let request = requests[index]
        var mailbox = SelectedMailbox(
            name: request.mailbox, readOnly: true, outcome: Outcome(status: status, untagged: untagged))
        mailbox.changes = changes
        if !isWhole { mailbox.changes?.isComplete = false }
        guard mailbox.uidValidity == request.known.uidValidity else { return }
        results[index] = mailbox
        if request.new != nil {
            pipeline = FetchPipeline(
                [Self.newUIDs(request)], items: request.items, depth: 1, longestSet: .max)
        }
    }
}
