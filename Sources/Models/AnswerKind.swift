/// How a message answers an earlier one. Only an answer that a person wrote ends a wait.
public enum AnswerKind: Hashable, Sendable {
    case human
    /// An out-of-office reply, or the confirmation of receipt by a ticket system or a mailbox.
    ///
    /// `returns`: the last day of the absence, or the day of the return; nil if the text names neither.
    case automaticReply(returns: CalendarDate?)
    /// The mail was not delivered to these recipients, as far as the message names them. `isPermanent`: the server has
    /// given up; otherwise it still tries.
    case bounce(recipients: [EmailAddress], isPermanent: Bool)
    /// A receipt of reading or delivery.
    case receipt
    /// An invitation, an answer to one, or its cancellation.
    case calendar
    /// Mail of list software: confirmations, moderation, commands. Mail that people send through a list is not
    /// included.
    case list

    /// Whether it can close a wait.
    public var isHuman: Bool { self == .human }
}
