import Models

/// The result of one attempt to send everything that is due.
public struct OutboxRound: Sendable {
    /// Mails that are still in the outbox.
    public var left: [OutboxLine]
    /// Mails that have left it.
    public var finished: [OutboxLine]

    public init(left: [OutboxLine], finished: [OutboxLine]) {
        self.left = left
        self.finished = finished
    }

    /// Mails that will be sent without the user's help.
    public var open: [OutboxLine] { left.filter(\.isOpen) }
    /// Whether a mail needs the user's decision.
    public var needsPerson: Bool {
        left.contains { !$0.isOpen && $0.state != .sent && $0.state != .discarded }
    }
}

extension OutboxLine {
    /// Whether opus continues with it without the user's help.
    public var isOpen: Bool { [.queued, .sending, .unknown].contains(state) }
}

extension Session {
    /// Sends what is due, account by account.
    public func deliverDue(account: String?) async throws -> OutboxRound {
        try await sending.finishAll()
        let due = try outbox.list(account: account).filter { line in
            line.isOpen && line.dueAt.map { Step.isDue($0, at: now) } ?? true
        }
        for account in Set(due.map(\.account)).sorted() {
            _ = try await journal.deliver(account)
            try await sending.finish(account)
        }
        let left = try outbox.list(account: account)
        let names = Set(due.map(\.name)).subtracting(left.map(\.name))
        return OutboxRound(
            left: left,
            finished: try outbox.list(account: account, all: true).filter { names.contains($0.name) })
    }
}
