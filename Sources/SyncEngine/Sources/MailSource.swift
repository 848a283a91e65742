public import Models

/// The source of an account's mail: an IMAP server or a Maildir, in the few terms that sync needs.
///
/// The engine owns this interface; an adapter on either side translates the RFC's terms into these.
public protocol MailSource: Sendable {
    /// Every mailbox that can hold messages.
    func mailboxes() async throws -> [Mailbox]

    /// The same with what is known of each without opening it.
    func survey() async throws -> AccountSurvey

    /// The state of one mailbox as the source has it now; with what changed `since`, if it reports that.
    func open(_ mailbox: Mailbox, since known: KnownMailbox?) async throws -> SourceMailbox

    /// The same, for a source that leaves a note of its own (``SourceMailbox/signature``): it reads less of what did not change
    /// since. nil: everything is read.
    func open(_ mailbox: Mailbox, since known: KnownMailbox?, noted: String?) async throws -> SourceMailbox

    /// Opens many mailboxes, each with what is known of it, and reads their new messages, in as few turns as the
    /// source can. The result has an entry for each request; nil: open that mailbox separately.
    func resynchronize(
        _ wishes: [ResyncWish], limit: Int, deliver: @Sendable (Int, RawMessage) async throws -> Void
    ) async throws -> [SourceMailbox?]

    /// The marks that changed after `modSeq`, of the messages below that UID; only for a source that has
    /// HIGHESTMODSEQ.
    func changes(of mailbox: Mailbox, since modSeq: UInt64, below uid: UInt32) async throws -> SourceChanges

    /// Every UID of the mailbox; nil where a listing is all there is. Decides when another answer is doubted.
    func uids(of mailbox: Mailbox) async throws -> UIDListing?

    /// The messages with these UIDs, ascending, with size, time and id where `detail` asks for that. A Maildir has
    /// no UIDs: it lists everything, by name.
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

    /// Reads the headers alone, calling back for each: they tell whether a message is known. A source that leaves
    /// out some, or all, has them fetched whole.
    func headers(
        of messages: [ListedMessage], in mailbox: Mailbox,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws

    /// Of a message of the mailbox that is open, in octets; nil: it is gone, or the source does not read in pieces.
    func size(of message: ListedMessage) async throws -> Int?

    /// The octets of such a message from `offset` on: `count`, or fewer at its end. nil: it is gone, or the source answers with
    /// others.
    func piece(of message: ListedMessage, from offset: Int, count: Int) async throws -> [UInt8]?

    /// How long the source may be silent before it counts as lost; nil: as long as usual.
    func wait(atMost patience: Duration?) async

    /// Reads the messages, in any order, calling back for each; a message that is gone or cannot be read
    /// is left out.
    func fetch(
        _ messages: [ListedMessage], of mailbox: Mailbox, limit: Int,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws
}

/// A source that does not report changes: everything is listed and compared.
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
