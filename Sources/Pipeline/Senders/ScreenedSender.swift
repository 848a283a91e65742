public import Models

/// A sender whose mail waits for a decision.
public struct ScreenedSender: Sendable {
    public var account: AccountID
    /// nil: the mail names no sender.
    public var address: EmailAddress?
    /// The newest first.
    public var messages: [MessageFacts]
    /// The short id of the newest.
    public var shortID: String
    /// Where answers would go, if that is somewhere else.
    public var replyTo: [EmailAddress]
    /// Whom the sender looks like.
    public var looksLike: EmailAddress?
}

/// What is decided about senders.
public enum SenderDecision: Hashable, Sendable {
    /// Their mail goes to the inbox. With `also` into one more list.
    case approve(also: SenderList?)
    /// Their mail goes to the trash.
    case deny
    /// What waits goes to the archive, and nothing is decided.
    case clear

    var verb: String {
        switch self {
        case .approve: "approve"
        case .deny: "deny"
        case .clear: "clear"
        }
    }

    var lists: [SenderList] {
        switch self {
        case .approve(let also): [.approved] + [also].compactMap(\.self)
        case .deny: [.denied]
        case .clear: []
        }
    }

    /// The lists that must not have the sender any more.
    var left: [SenderList] {
        switch self {
        case .approve: [.denied]
        case .deny: [.approved]
        case .clear: []
        }
    }
}

/// Which senders: by message ids, by addresses, or all that wait.
public enum SenderSelection: Sendable {
    case all
    case typed([String])
}
