/// Messages of a mailbox that a server could not hand out: what is remembered of them from sync to sync.
///
/// While one is sought, a range of UIDs is suspected; once it is found, the range is that one message.
public struct MessageDoubt: Hashable, Sendable {
    /// The data that was requested from the server.
    public enum Stage: String, Hashable, CaseIterable, Sendable {
        /// Marks, size and time.
        case listing
        /// The message itself, or its header.
        case content
    }

    public enum Cause: String, Hashable, CaseIterable, Sendable {
        /// The connection hung, or was lost.
        case lost
        /// The server continued, but sent nothing readable of the message.
        case unread
    }

    public var stage: Stage
    public var cause: Cause
    public var uids: ClosedRange<UInt32>
    /// How often the message failed by itself; 0: something within the range is suspected.
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
