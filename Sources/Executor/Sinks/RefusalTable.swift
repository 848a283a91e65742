import IMAPClient
import IMAPProtocol

/// The meaning of a server's NO for the steps of the command.
enum Refusal: Equatable {
    /// Nothing was changed, and nothing is wrong with the step: the table of waits applies, and its number of attempts.
    case later
    /// Something must become free first (a lock, room): opus waits as long as it takes.
    case whenFree
    /// It can never succeed: it ends now, and is shown.
    case never
    /// One message of several may be the cause: look again, and ask for the rest in parts.
    case perMessage
    /// The wanted result is already there.
    case done
    /// The mailbox does not exist.
    case noMailbox
}

/// The one table of refusals: by the response code, and where the code means several things, by the command.
///
/// The reader's copy is in `docs/errors.md`. RFC 5530 §3, RFC 3501 §7.1, RFC 7889 §4, RFC 9738 §3.
enum RefusalTable {
    /// What a command asks for, as far as it changes what a code means.
    enum Wish: Equatable {
        /// A change of flags and keywords.
        case marks
        /// Anything else with messages of the open mailbox.
        case messages
        /// The numbers of a mailbox.
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
        .unavailable: .later, .serverBug: .later, .contactAdmin: .later, .corruption: .later,
        .throttled: .later, .inProgress: .later,
        .expungeIssued: .perMessage, .messageLimit: .perMessage,
    ]

    static func refusal(_ name: ResponseCodeName?, _ wish: Wish) -> Refusal {
        if let name, let refusal = always[name] { return refusal }
        switch (name, wish) {
        case (ResponseCodeName.alreadyExists, .create): return .done
        // Too many flags stay too many; too many commands in an hour do not.
        case (ResponseCodeName.limit, .marks), (ResponseCodeName.limit, .create): return .never
        case (ResponseCodeName.limit, _): return .later
        case (ResponseCodeName.nonExistent, .select): return .never
        // A message that went, the mailbox that it is to go to, or no code at all.
        case (_, .marks), (_, .messages): return .perMessage
        case (_, .status): return .noMailbox
        case (_, .select), (_, .create), (_, .append), (_, .other): return .later
        }
    }
}

extension IMAPClientError {
    /// What the refusal means; nil for what is not one.
    var refusal: Refusal? {
        switch self {
        case .refused(let command, let status, let code, _):
            // BAD is about the whole command: nothing says that a part of it would be taken.
            guard status == .no || command == "STATUS" else { return .later }
            return RefusalTable.refusal(code?.name, RefusalTable.Wish(command: command))
        case .loginUnavailable: return .later
        // The connection continues, and the rest is still to be done.
        case .partlyDone(_, let cause): return cause.refusal.map { $0 == .never ? .later : .perMessage }
        case .transport, .plaintextRefused, .preauthBeforeTLS, .startTLSRefused, .loginRefused,
            .noLoginMechanism, .badCredentials, .missingCapability, .unsafe, .notAllowed, .invalidRequest,
            .noMailboxSelected, .bye, .limit, .protocol, .abandoned, .loggedOut:
            return nil
        }
    }
}
