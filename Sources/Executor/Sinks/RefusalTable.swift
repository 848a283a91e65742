import IMAPClient
import IMAPProtocol

/// What a server's NO means for the steps of the command.
enum Refusal: Equatable {
    /// Nothing was changed, and nothing is wrong with the step: it follows the waits of ``Backoff`` and its
    /// limit of attempts.
    case later
    /// A resource must become free first (a lock, space): opus waits as long as it takes.
    case whenFree
    /// It can never succeed: the step ends now and is reported.
    case never
    /// One of several messages may be the cause: check again, and request the others in parts.
    case perMessage
    /// The requested result already exists.
    case done
    /// The mailbox does not exist.
    case noMailbox
}

/// The table of refusals: by response code, and also by command if a code has several meanings.
///
/// The version for users is in `docs/errors.md`. RFC 5530 §3, RFC 3501 §7.1, RFC 7889 §4, RFC 9738 §3.
enum RefusalTable {
    /// The kind of request, where it changes the meaning of a code.
    enum Wish: Equatable {
        /// A change of flags and keywords.
        case marks
        /// Any other command on messages of the open mailbox.
        case messages
        /// A request for the numbers of a mailbox.
        case status
        case select
        case create
        case append
        case other

        init(command: String) {
            switch command {
            case "UID STORE": self = .marks
            case "UID MOVE", "UID COPY", "UID EXPUNGE", "UID FETCH": self = .messages
            case "STATUS": self = .status
            case "SELECT", "EXAMINE": self = .select
            case "CREATE": self = .create
            case "APPEND": self = .append
            default: self = .other
            }
        }
    }

    /// Codes that mean the same for every command.
    static let always: [ResponseCodeName: Refusal] = [
        .noPermission: .never, .cannot: .never, .clientBug: .never, .privacyRequired: .never,
        .expired: .never, .readOnly: .never, .tooBig: .never, .badCharset: .never,
        .unknownTransferEncoding: .never, .useAttribute: .never, .uidRequired: .never,
        .authorizationFailed: .never,
        .inUse: .whenFree, .overQuota: .whenFree,
        .serverBug: .later, .contactAdmin: .later, .corruption: .later,
        .expungeIssued: .perMessage, .messageLimit: .perMessage,
    ]

    /// Codes of a server that cannot answer now. A change of marks waits: a rule requests it only once, so it would be lost
    /// if it were given up. A move that was given up is planned again.
    private static let notNow: Set<ResponseCodeName> = [.unavailable, .throttled, .inProgress]

    /// Whether the server has no space left for the message, and says so only in its text: `NO [ALERT] You exceeded your
    /// mail quota.` (Courier), `NO Over quota` (Cyrus before 3.0).
    static func saysFull(_ name: ResponseCodeName?, _ text: String, _ wish: Wish) -> Bool {
        guard name == nil || name == .alert, wish == .append || wish == .messages else { return false }
        return text.lowercased().contains("quota")
    }

    static func refusal(_ name: ResponseCodeName?, _ wish: Wish) -> Refusal {
        if let name, let refusal = always[name] { return refusal }
        if let name, notNow.contains(name) { return wish == .marks || wish == .select ? .whenFree : .later }
        switch (name, wish) {
        case (ResponseCodeName.alreadyExists, .create): return .done
        // A limit on the number of flags or mailboxes is permanent; a limit on commands per hour is not.
        case (ResponseCodeName.limit, .marks), (ResponseCodeName.limit, .create): return .never
        case (ResponseCodeName.limit, _): return .later
        case (ResponseCodeName.nonExistent, .select): return .never
        // The cause may be a removed message or the destination mailbox, or the server sent no code.
        case (_, .marks), (_, .messages): return .perMessage
        case (_, .status): return .noMailbox
        case (_, .select), (_, .create), (_, .append), (_, .other): return .later
        }
    }
}

extension IMAPClientError {
    /// The meaning of the refusal; nil: the error is not a refusal.
    var refusal: Refusal? {
        switch self {
        case .refused(let command, let status, let code, let text):
            // BAD concerns the whole command: the server may not accept a part of it either.
            guard status == .no || command == "STATUS" else { return .later }
            let wish = RefusalTable.Wish(command: command)
            if RefusalTable.saysFull(code?.name, text, wish) { return .whenFree }
            return RefusalTable.refusal(code?.name, wish)
        case .loginUnavailable: return .later
        // The connection still works, and the rest remains to be done.
        case .partlyDone(_, let cause): return cause.refusal.map { $0 == .never ? .later : .perMessage }
        case .transport, .plaintextRefused, .preauthBeforeTLS, .startTLSRefused, .loginRefused,
            .noLoginMechanism, .badCredentials, .missingCapability, .unsafe, .notAllowed, .invalidRequest,
            .noMailboxSelected, .bye, .limit, .protocol, .abandoned, .loggedOut:
            return nil
        }
    }
}
