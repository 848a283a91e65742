// The input of threading for a message, and its result.

public import Models

/// The identifiers that tie a message to others. RFC 5322 §3.6.4.
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

/// Every message in exactly one thread.
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
    /// Threads that were known before and turned out to be one; `into` is never a `from`. Sorted.
    public var merges: [Merge]
    /// Every identifier that was seen, and its thread: the `existing` of the next call.
    public var links: [MessageID: ThreadID]

    public init(
        threads: [EmailID: ThreadID] = [:], merges: [Merge] = [], links: [MessageID: ThreadID] = [:]
    ) {
        self.threads = threads
        self.merges = merges
        self.links = links
    }
}
