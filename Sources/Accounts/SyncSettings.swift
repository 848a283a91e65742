public import Models

/// Settings for syncing an account: how far back, over how many connections, and with which optional
/// extensions.
public struct SyncSettings: Hashable, Sendable {
    /// Whether COMPRESS is used where the server offers it. RFC 4978.
    public enum Compression: String, Hashable, CaseIterable, Sendable {
        case off
        /// Not for servers on this machine, and not over a fast connection, where it costs the server more
        /// than it saves.
        case auto
        case always
    }

    /// Messages received within this number of days are fetched, in all mailboxes; nil: all messages.
    public var windowDays: Int?
    /// Mailboxes that are never read.
    public var exclude = MailboxExclusion.nothing
    /// The number of simultaneous connections; nil: as many as the server accepts, at most five.
    public var connections: Int?
    public var compression = Compression.off
    /// Whether `opus watch` uses NOTIFY for all mailboxes if the server supports it, instead of IDLE for the
    /// inbox only. RFC 5465.
    public var usesNotify = true
    /// Whether UTF8=ACCEPT is enabled if the server supports it. RFC 6855.
    public var acceptsUTF8 = false

    public init() {}
}
