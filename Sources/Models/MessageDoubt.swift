/// What opus remembers, from sync to sync, of messages that a server could not return.
///
/// While opus searches for such a message, `uids` is the suspected range; afterwards it is that one message.
public struct MessageDoubt: Hashable, Sendable {
    /// The data that was requested from the server.
    public enum Stage: String, Hashable, CaseIterable, Sendable {
        /// Flags, size and time.
        case listing
        /// The message itself, or its header.
        case content
        /// The whole message, for a mail or a copy that is made of it.
        case original
    }

    public enum Cause: String, Hashable, CaseIterable, Sendable {
        /// The connection hung or broke.
        case lost
        /// The server answered, but without readable data of the message.
        case unread
    }

    public var stage: Stage
    public var cause: Cause
    public var uids: ClosedRange<UInt32>
    /// How often the message failed when opus requested it alone; 0: opus is still searching the range.
    public var tries: Int
    public var triedAt: Timestamp

    public init(
        _ stage: Stage, _ cause: Cause, _ uids: ClosedRange<UInt32>, tries: Int = 0, triedAt: Timestamp
    ) {
        self.stage = stage
        self.cause = cause
        self.uids = uids
        self.tries = tries
        self.triedAt = triedAt
    }

    public var isSuspicion: Bool { tries == 0 }
}
