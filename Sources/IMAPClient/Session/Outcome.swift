import IMAPProtocol

/// The responses to one command: the tagged one and the untagged ones before it.
struct Outcome: Sendable {
    var status: StatusResponse
    var untagged: [Untagged]
    /// The changes in the mailbox, if a SELECT requested them.
    var changes: MailboxChanges?

    init(status: StatusResponse, untagged: [Untagged] = []) {
        self.status = status
        self.untagged = untagged
    }

    init(status: StatusResponse, _ answers: Answers) {
        self.init(status: status, untagged: answers.untagged)
        changes = answers.changes
    }

    /// Every response code: in the tagged response and in the untagged ones before it.
    var codes: [ResponseCode] {
        untagged.compactMap { response in
            guard case .status(let status) = response else { return nil }
            return status.code
        } + [status.code].compactMap { $0 }
    }
}

/// The responses since a command was sent, with limits that protect the memory.
struct Answers {
    /// The most octets for one command other than FETCH.
    private static let mostOctets = 32 * 1_024 * 1_024
    /// The most octets for SELECT (QRESYNC), which may report on a whole mailbox.
    private static let mostReportOctets = 256 * 1_024 * 1_024

    private let start: Int
    private let mostResponses: Int
    private(set) var untagged: [Untagged] = []
    private var count = 0
    /// The changes that a SELECT (QRESYNC) has reported so far; nil: another command.
    private(set) var changes: MailboxChanges?

    /// - Parameters:
    ///   - start: The octets that the session had parsed before the command.
    ///   - mostResponses: The most responses to the command.
    ///   - reportsChanges: Whether the command is a SELECT (QRESYNC).
    init(from start: Int, mostResponses: Int = 200_000, reportsChanges: Bool = false) {
        self.start = start
        self.mostResponses = mostResponses
        changes = reportsChanges ? MailboxChanges() : nil
    }

    /// Responses before `[CLOSED]` belong to the previous mailbox. RFC 7162 §3.2.11.
    mutating func add(_ response: Untagged) {
        if changes?.add(response) == true { return }
        untagged.append(response)
        count += 1
        guard case .status(let status) = response, status.code == .closed else { return }
        untagged = []
        if changes != nil { changes = MailboxChanges() }
    }

    /// The responses since the last call.
    mutating func takeUntagged() -> [Untagged] {
        defer { untagged = [] }
        return untagged
    }

    /// nil: the limits are kept; otherwise what exceeds them. `octets`: those that the session has parsed so far.
    func excess(at octets: Int) -> String? {
        let limit = changes == nil ? Self.mostOctets : Self.mostReportOctets
        let reported = (changes?.flags.count ?? 0) + (changes?.vanished.count ?? 0)
        guard
            count > mostResponses || octets - start > limit || reported > ResponseLimits.standard.numbers
        else { return nil }
        return "\(count + reported) responses of \(octets - start) bytes to one command"
    }
}

/// Why reading from the server stopped.
enum Milestone {
    case ended(CommandTag, StatusResponse)
    case continuation(String)
}
