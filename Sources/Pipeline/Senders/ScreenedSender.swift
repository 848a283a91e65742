public import Models

/// A sender whose mail is held until the user decides about it.
public struct ScreenedSender: Sendable {
    public var account: AccountID
    /// nil: the mail has no sender.
    public var address: EmailAddress?
    /// Newest first.
    public var messages: [MessageFacts]
    /// The short id of the newest message.
    public var shortID: String
    /// The addresses for replies, if they differ from the sender.
    public var replyTo: [EmailAddress]
    /// The known person whom the sender imitates.
    public var looksLike: EmailAddress?
}

/// A decision about senders.
public enum SenderDecision: Hashable, Sendable {
    /// Mail of these senders goes to the inbox. `also`: one more list for them.
    case approve(also: SenderList?)
    /// Held and later mail of these senders goes to the trash.
    case deny
    /// The held mail goes to the archive, without a decision about the senders.
    case clear

    var verb: String {
        switch self {
        case .approve: "approve"
        case .deny: "deny"
        case .clear: "clear"
        }
    }

    /// Whether rules may act on the mail now.
    var releasesMail: Bool {
        switch self {
        case .approve: true
        case .deny, .clear: false
        }
    }

    var lists: [SenderList] {
        switch self {
        case .approve(let also): [.approved] + [also].compactMap(\.self)
        case .deny: [.denied]
        case .clear: []
        }
    }

    /// The lists from which the sender is removed.
    var left: [SenderList] {
        switch self {
        case .approve: [.denied]
        case .deny: [.approved]
        case .clear: []
        }
    }
}

/// The senders of a decision: by message ids, by addresses, or all with held mail.
public enum SenderSelection: Sendable {
    case all
    case typed([String])
}

/// What a decision about senders did.
public struct DecidedSenders: Sendable {
    public var reports: [RunReport]
    /// Senders who cannot be in a list; their mail still waits.
    public var leftOut: [ScreenedSender]
}
