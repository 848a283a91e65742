public import Models

/// What the executor needs from a mail account: checks, changes, and the proof of changes.
///
/// The executor owns this protocol; adapters for IMAP and Maildir implement it. Every call names its mailbox,
/// and each message is a ``Target``. Only the original of a copied message, and messages that opus put into a
/// mailbox, are removed permanently.
public protocol MailSink: Sendable {
    /// The current UIDVALIDITY of the mailbox; nil if the mailbox does not exist.
    func open(_ mailbox: MailboxName) async throws(SinkError) -> UInt32?

    /// The same for a mailbox whose messages opus checks next; the mailbox may stay open.
    func openForLook(_ mailbox: MailboxName) async throws(SinkError) -> UInt32?

    /// Opens a mailbox whose messages opus checks and then moves, and returns the numbers of the destination, if
    /// the account can do both in one round trip. nil: it cannot, or it refused one of them; a later request
    /// reports the reason.
    func openForLook(
        _ mailbox: MailboxName, before destination: MailboxName
    ) async throws(SinkError) -> MailboxNumbers?

    /// The current numbers of a mailbox, before something is put into it; nil if the mailbox does not exist.
    func numbers(of mailbox: MailboxName) async throws(SinkError) -> MailboxNumbers?

    /// The same for several mailboxes that are not open; a mailbox that does not exist has no entry.
    func numbers(of mailboxes: [MailboxName]) async throws(SinkError) -> [MailboxName: MailboxNumbers]

    /// The messages that are at those places now, with header blocks; a place without a message has no entry. A message
    /// that the account has but does not return is ``Sighting/unreadable``.
    func look(at targets: [Target], in mailbox: MailboxName) async throws(SinkError) -> [UInt32: Sighting]

    /// Adds and removes marks; returns the flags that the account reports afterwards.
    func store(
        _ change: MarkChange, on targets: [Target], in mailbox: MailboxName
    ) async throws(SinkError) -> [UInt32: Sighting]

    /// The keywords that the mailbox cannot keep.
    func unkeepable(_ keywords: Set<Keyword>, in mailbox: MailboxName) async throws(SinkError) -> Set<Keyword>

    /// The flags that the mailbox cannot keep, as the server says. Some servers keep flags that they do not name there, so
    /// this counts only after a flag was not set.
    func unkeepable(_ flags: Set<Flag>, in mailbox: MailboxName) async throws(SinkError) -> Set<Flag>

    /// The way to move messages between these mailboxes. Throws if there is no reliable way.
    func wayToMove(from mailbox: MailboxName, to destination: MailboxName) async throws(SinkError)
        -> WayToMove

    /// Moves messages; returns each new place that the account proved.
    func move(
        _ targets: [Target], from mailbox: MailboxName, to destination: Mailbox
    ) async throws(SinkError) -> [UInt32: NewPlace]

    /// Moves messages to several mailboxes, and reports the result of each order as soon as it is known. An
    /// order without a reported result was not sent.
    func move(
        _ orders: [MoveOrder], from mailbox: MailboxName, report: @Sendable (MoveAnswer) -> Void) async

    /// The first part of ``WayToMove/copyThenRemove``: returns the place of each copy that the account
    /// proved.
    func copy(
        _ targets: [Target], from mailbox: MailboxName, to destination: Mailbox
    ) async throws(SinkError) -> [UInt32: NewPlace]

    /// Permanently removes exactly these messages. Throws `unsupported` if the server can only expunge the
    /// whole mailbox.
    func remove(_ targets: [Target], from mailbox: MailboxName) async throws(SinkError)

    /// SHA-256 of all bytes of a message, in hex; nil if it is missing, or too large.
    func digest(of target: Target, in mailbox: MailboxName) async throws(SinkError) -> String?

    /// All bytes of a message; nil if it is missing, or longer than `limit`.
    func content(of target: Target, in mailbox: MailboxName, limit: Int) async throws(SinkError) -> [UInt8]?

    /// Whether a message that is moved twice stays one message: true if mailboxes are labels, which never make
    /// copies.
    var movesLeaveNoCopies: Bool { get async }

    /// Whether it is a folder on this machine: the user can fix its failures, and another attempt costs
    /// nothing.
    var isLocal: Bool { get }

    /// Whether the server saves submitted mail in Sent; a copy by opus would be a duplicate.
    var keepsSentCopies: Bool { get async }

    /// Messages with that text in that header field.
    func find(
        _ field: String, _ value: String, in mailbox: MailboxName
    ) async throws(SinkError) -> [FoundMessage]

    /// The messages with that `NewMessage.remoteID`, the account's own id; empty if the account has no such
    /// ids.
    func find(remoteID: String, in mailbox: MailboxName) async throws(SinkError) -> [FoundMessage]

    /// The messages with this UID or a higher one, without a search: servers search an index that may be late, and not every
    /// message has a Message-ID. `size`: only messages with this many octets; nil: all. Empty if the account has no UIDs.
    func arrivals(
        from first: UInt32, size: Int?, in mailbox: MailboxName
    ) async throws(SinkError) -> [FoundMessage]

    /// Puts a message into a mailbox; returns its place if the account reports it. Over IMAP, the flags are
    /// part of the command.
    func append(
        _ message: [UInt8], to mailbox: MailboxName, flags: Set<Flag>, token: MessageID, at time: Timestamp
    ) async throws(SinkError) -> NewPlace

    /// Creates a mailbox; an existing mailbox is not an error.
    func create(_ mailbox: Mailbox) async throws(SinkError)

    /// Whether the account lists the mailbox. A server may refuse to open one that exists.
    func lists(_ mailbox: MailboxName) async throws(SinkError) -> Bool

    /// Subscribes to the mailbox, so that other programs show it. Does nothing if the account has no
    /// subscriptions, or refuses this one.
    func subscribe(_ mailbox: Mailbox) async throws(SinkError)
}

extension MailSink {
    public var movesLeaveNoCopies: Bool { false }
    public var isLocal: Bool { false }
    public var keepsSentCopies: Bool { false }

    public func openForLook(_ mailbox: MailboxName) async throws(SinkError) -> UInt32? {
        try await open(mailbox)
    }

    public func openForLook(
        _ mailbox: MailboxName, before destination: MailboxName
    ) async throws(SinkError) -> MailboxNumbers? { nil }

    public func lists(_ mailbox: MailboxName) async throws(SinkError) -> Bool {
        try await numbers(of: mailbox) != nil
    }

    public func subscribe(_ mailbox: Mailbox) async throws(SinkError) {}

    public func numbers(
        of mailboxes: [MailboxName]
    ) async throws(SinkError) -> [MailboxName: MailboxNumbers] {
        var found: [MailboxName: MailboxNumbers] = [:]
        for mailbox in mailboxes { found[mailbox] = try await numbers(of: mailbox) }
        return found
    }

    public func move(
        _ orders: [MoveOrder], from mailbox: MailboxName, report: @Sendable (MoveAnswer) -> Void
    ) async {
        await moveOneByOne(orders, from: mailbox, report: report)
    }

    /// For accounts that execute one command after the other: orders after a lost connection were not sent.
    func moveOneByOne(
        _ orders: [MoveOrder], from mailbox: MailboxName, report: @Sendable (MoveAnswer) -> Void
    ) async {
        for (index, order) in orders.enumerated() {
            do throws(SinkError) {
                let places = try await move(order.targets, from: mailbox, to: order.destination)
                report(MoveAnswer(order: index, result: .success(places)))
            } catch {
                report(MoveAnswer(order: index, result: .failure(error)))
                if case .lost = error { return }
            }
        }
    }

    /// Messages with that Message-ID in a mailbox.
    func find(_ token: MessageID, in mailbox: MailboxName) async throws(SinkError) -> [FoundMessage] {
        try await find("Message-ID", token.rawValue, in: mailbox)
    }

    public func unkeepable(
        _ keywords: Set<Keyword>, in mailbox: MailboxName
    ) async throws(SinkError) -> Set<Keyword> { [] }

    public func unkeepable(
        _ flags: Set<Flag>, in mailbox: MailboxName
    ) async throws(SinkError) -> Set<Flag> { [] }

    public func find(
        remoteID: String, in mailbox: MailboxName
    ) async throws(SinkError) -> [FoundMessage] { [] }

    public func arrivals(
        from first: UInt32, size: Int?, in mailbox: MailboxName
    ) async throws(SinkError) -> [FoundMessage] { [] }
}
