import IMAPProtocol

/// The responses to one command: the tagged one, and all untagged ones before it.
struct Outcome: Sendable {
    var status: StatusResponse
    var untagged: [Untagged]
    /// What changed in the mailbox; only of a SELECT that requested it.
    var changes: MailboxChanges?

    init(status: StatusResponse, untagged: [Untagged] = []) {
        self.status = status
        self.untagged = untagged
    }

    init(status: StatusResponse, _ answers: Answers) {
        self.init(status: status, untagged: answers.untagged)
        changes = answers.changes
    }

    /// Every response code, wherever it came: in the tagged response, or in an untagged one before it.
    var codes: [ResponseCode] {
        untagged.compactMap { response in
            guard case .status(let status) = response else { return nil }
            return status.code
        } + [status.code].compactMap { $0 }
    }
}

/// What has come since a command was sent, with the limits that keep a server from filling the memory.
struct Answers {
    /// The most that one command other than FETCH may bring.
    private static let mostOctets = 32 * 1_024 * 1_024
    /// What SELECT (QRESYNC) reports is bounded by what a mailbox may hold.
    private static let mostReportOctets = 256 * 1_024 * 1_024

    private let start: Int
    private let mostResponses: Int
    private(set) var untagged: [Untagged] = []
    private var count = 0
    /// What a SELECT (QRESYNC) has brought so far; nil for other commands.
    private(set) var changes: MailboxChanges?

    /// - Parameters:
    ///   - start: the octets that the session had parsed before the command.
    ///   - mostResponses: how many responses may come.
    ///   - reportsChanges: the command is a SELECT (QRESYNC).
    init(from start: Int, mostResponses: Int = 200_000, reportsChanges: Bool = false) {
        self.start = start
        self.mostResponses = mostResponses
        changes = reportsChanges ? MailboxChanges() : nil
    }

    /// What comes before `[CLOSED]` is of the mailbox that was open before. RFC 7162 §3.2.11.
    mutating func add(_ response: Untagged) {
        if changes?.add(response) == true { return }
        untagged.append(response)
        count += 1
        guard case .status(let status) = response, status.code == .closed else { return }
        untagged = []
        if changes != nil { changes = MailboxChanges() }
    }

    /// Responses that came since the last call.
    mutating func takeUntagged() -> [Untagged] {
        defer { untagged = [] }
        return untagged
    }

    /// nil while the limits are kept, else what is wrong. `octets`: those that the session has parsed so far.
    func excess(at octets: Int) -> String? {
        let limit = changes == nil ? Self.mostOctets : Self.mostReportOctets
        let reported = (changes?.flags.count ?? 0) + (changes?.vanished.count ?? 0)
        guard
            count > mostResponses || octets - start > limit || reported > ResponseLimits.standard.numbers
        else { return nil }
        return "\(count + reported) responses of \(octets - start) bytes to one command"
    }
}

/// Where a wait for the server ended.
enum Milestone {
    case ended(CommandTag, StatusResponse)
    case continuation(String)
}
