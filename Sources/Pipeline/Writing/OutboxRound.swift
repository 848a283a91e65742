import Models

/// The result of one attempt to send all due mail.
public struct OutboxRound: Sendable {
    /// Mails that are still in the outbox.
    public var left: [OutboxLine]
    /// Mails that have left it.
    public var finished: [OutboxLine]

    /// Why a server refused the login; nil: none did.
    public var refusal: String?

    public init(left: [OutboxLine], finished: [OutboxLine], refusal: String? = nil) {
        self.left = left
        self.finished = finished
        self.refusal = refusal
    }

    /// Mails that will be sent without the user's help.
    public var open: [OutboxLine] { left.filter(\.isOpen) }
    /// Whether a mail needs the user's decision.
    public var needsPerson: Bool {
        left.contains { !$0.isOpen && $0.state != .sent && $0.state != .discarded }
    }
}

extension OutboxLine {
    /// Whether opus continues without the user's help.
    public var isOpen: Bool { [.queued, .sending, .unknown].contains(state) }
}
