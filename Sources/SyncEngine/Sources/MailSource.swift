public import Models

/// The source of an account's mail, an IMAP server or a Maildir, reduced to the operations of a sync.
///
/// The engine owns this protocol; an adapter for each kind of source implements it.
public protocol MailSource: Sendable {
    /// All mailboxes that can contain messages.
    func mailboxes() async throws -> [Mailbox]

    /// The same, with the known numbers of each mailbox before it is opened.
    func survey() async throws -> AccountSurvey

    /// Opens a mailbox and returns its current state; with the changes `since` that state, if the source
    /// reports them.
    func open(_ mailbox: Mailbox, since known: KnownMailbox?) async throws -> SourceMailbox

    /// The same, for a source with its own note (``SourceMailbox/signature``), with which it skips unchanged parts.
    /// `noted` is nil: it reads everything.
    func open(_ mailbox: Mailbox, since known: KnownMailbox?, noted: String?) async throws -> SourceMailbox

    /// Opens many mailboxes, each with what is known of it, and reads their new messages, in as few turns as the
    /// source can. The result has an entry for each request; nil: open that mailbox separately.
    func resynchronize(
        _ wishes: [ResyncWish], limit: Int, deliver: @Sendable (Int, RawMessage) async throws -> Void
    ) async throws -> [SourceMailbox?]

    /// The marks of messages below that UID that changed after `modSeq`; only for a source with
    /// HIGHESTMODSEQ.
    func changes(of mailbox: Mailbox, since modSeq: UInt64, below uid: UInt32) async throws -> SourceChanges

    /// All UIDs of the mailbox; nil if the source only has listings. Used when another response is in doubt.
    func uids(of mailbox: Mailbox) async throws -> UIDListing?

    /// The messages with these UIDs, ascending; with size, time and id if `detail` requests them. A Maildir
    /// has no UIDs: it lists all messages by name.
    func listing(
        of mailbox: Mailbox, uids: ClosedRange<UInt32>, detail: ListingDetail
    ) async throws -> MessageListing

    /// The messages that came since the note with which the mailbox was opened, if nothing else happened in it; nil: the source
    /// cannot tell, so everything is compared. `known` returns which of these names the store has in the mailbox.
    func arrivals(
        of mailbox: Mailbox, known: ([String]) throws -> Set<String>
    ) async throws -> MessageListing?

    /// All messages in parts of that size, newest first, for a source without UIDs; nil where ``uids(of:)`` divides them.
    func parts(of mailbox: Mailbox, size: Int) async throws -> [ListingPart]?

    /// Reads only the headers, which show whether a message is known, and calls back for each. The engine
    /// fetches the messages that the source leaves out completely.
    func headers(
        of messages: [ListedMessage], in mailbox: Mailbox,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws

    /// The size in octets of a message in the open mailbox; nil: it was removed, or the source cannot read
    /// parts of it.
    func size(of message: ListedMessage) async throws -> Int?

    /// `count` octets of such a message from `offset` on, or fewer at its end. nil: it was removed, or the
    /// source returns other octets.
    func piece(of message: ListedMessage, from offset: Int, count: Int) async throws -> [UInt8]?

    /// How long the source may be silent before the connection counts as lost; nil: the usual time.
    func wait(atMost patience: Duration?) async

    /// Reads the messages in any order, and calls back for each. Messages that were removed or cannot be read
    /// are left out.
    func fetch(
        _ messages: [ListedMessage], of mailbox: Mailbox, limit: Int,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws
}

/// Defaults for a source that does not report changes: all messages are listed and compared.
extension MailSource {
    public func survey() async throws -> AccountSurvey {
        AccountSurvey(entries: try await mailboxes().map { AccountSurvey.Entry(mailbox: $0) })
    }

    public func open(_ mailbox: Mailbox) async throws -> SourceMailbox { try await open(mailbox, since: nil) }

    public func open(
        _ mailbox: Mailbox, since known: KnownMailbox?, noted: String?
    ) async throws -> SourceMailbox {
        try await open(mailbox, since: known)
    }

    public func arrivals(
        of mailbox: Mailbox, known: ([String]) throws -> Set<String>
    ) async throws -> MessageListing? {
        nil
    }

    public func resynchronize(
        _ wishes: [ResyncWish], limit: Int, deliver: @Sendable (Int, RawMessage) async throws -> Void
    ) async throws -> [SourceMailbox?] {
        wishes.map { _ in nil }
    }

    public func changes(
        of mailbox: Mailbox, since modSeq: UInt64, below uid: UInt32
    ) async throws -> SourceChanges {
        SourceChanges(isComplete: false)
    }

    public func wait(atMost patience: Duration?) async {}

    public func size(of message: ListedMessage) async throws -> Int? { nil }

    public func piece(of message: ListedMessage, from offset: Int, count: Int) async throws -> [UInt8]? {
        nil
    }

    public func uids(of mailbox: Mailbox) async throws -> UIDListing? { nil }

    public func parts(of mailbox: Mailbox, size: Int) async throws -> [ListingPart]? { nil }

    public func headers(
        of messages: [ListedMessage], in mailbox: Mailbox,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws {}
}
