/// What a message is as an answer to an earlier one. Only a person answers a wait.
public enum AnswerKind: Hashable, Sendable {
    case human
    /// An out-of-office reply, or the acknowledgement of a ticket system or mailbox.
    ///
    /// `returns`: the last day of the absence, or the day of the return; nil where the text names neither.
    case automaticReply(returns: CalendarDate?)
    /// The mail did not arrive: at whom, as far as the message says. `isPermanent`: the server has given up; otherwise it
    /// still tries.
    case bounce(recipients: [EmailAddress], isPermanent: Bool)
    /// Of reading or of delivery.
    case receipt
    /// An invitation, an answer to one, or its cancellation.
    case calendar
    /// What list software says: confirmations, moderation, commands. Not the mail that people send through a list.
    case list

    /// Whether it can close a wait.
    public var isHuman: Bool { self == .human }
}
