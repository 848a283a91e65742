// The input and the result of threading.

public import Models

/// The identifiers that connect a message to others. RFC 5322 §3.6.4.
public struct ThreadInput: Hashable, Sendable {
    public var message: EmailID
    public var messageID: MessageID?
    public var inReplyTo: [MessageID]
    public var references: [MessageID]

    public init(
        message: EmailID, messageID: MessageID? = nil, inReplyTo: [MessageID] = [],
        references: [MessageID] = []
    ) {
        self.message = message
        self.messageID = messageID
        self.inReplyTo = inReplyTo
        self.references = references
    }
}

/// The thread of every message.
public struct ThreadAssignment: Hashable, Sendable {
    public struct Merge: Hashable, Sendable {
        public var from: ThreadID
        public var into: ThreadID

        public init(from: ThreadID, into: ThreadID) {
            self.from = from
            self.into = into
        }
    }

    public var threads: [EmailID: ThreadID]
    /// Known threads that turned out to be one; `into` is never a `from`. Sorted.
    public var merges: [Merge]
    /// The thread of every identifier, for the `existing` of the next call.
    public var links: [MessageID: ThreadID]

    public init(
        threads: [EmailID: ThreadID] = [:], merges: [Merge] = [], links: [MessageID: ThreadID] = [:]
    ) {
        self.threads = threads
        self.merges = merges
        self.links = links
    }
}
