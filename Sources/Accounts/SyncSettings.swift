public import Models

/// How an account is synchronised: how far back, over how many connections, and with which of the extensions that a
/// user must ask for.
public struct SyncSettings: Hashable, Sendable {
    /// Whether COMPRESS is used where the server offers it. RFC 4978.
    public enum Compression: String, Hashable, CaseIterable, Sendable {
        case off
        /// Not to this machine, and not over a fast link: there it costs the server more than it saves.
        case auto
        case always
    }

    /// Messages received within this many days are fetched, in every mailbox; nil for all of them.
    public var windowDays: Int?
    /// Mailboxes that are never read.
    public var exclude = MailboxExclusion.nothing
    /// Connections at once; nil for what the server takes, at most five.
    public var connections: Int?
    public var compression = Compression.off
    /// Whether `opus watch` has NOTIFY tell it of every mailbox where the server offers it, instead of IDLE of the inbox alone.
    /// RFC 5465.
    public var usesNotify = true
    /// Whether UTF8=ACCEPT is enabled where the server offers it. RFC 6855.
    public var acceptsUTF8 = false

    public init() {}
}
