public import SyncPlanner

/// A failure of the connection, not of one mailbox: it ends the sync.
public struct SourceUnavailable: Error {
    public let underlying: any Error
    /// The messages that were requested when it failed.
    public let interrupted: InterruptedFetch?
    /// The index of the affected request in a pass over many mailboxes.
    public let wish: Int?

    public init(_ underlying: any Error, interrupted: InterruptedFetch? = nil, wish: Int? = nil) {
        self.underlying = underlying
        self.interrupted = interrupted
        self.wish = wish
    }
}
