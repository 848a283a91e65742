public import Models

/// What the executor needs from a mail account: to check, to act, and to say what proves it.
///
/// The executor owns this interface; adapters for IMAP and Maildir translate. A mailbox is always named,
/// a message is always a ``Target``. What is removed for good is a copy's original, or a draft of our own.
public protocol MailSink: Sendable {
    /// The UIDVALIDITY under which UIDs are to be read now; nil if the mailbox does not exist.
    func open(_ mailbox: MailboxName) async throws(SinkError) -> UInt32?

    /// The same for a mailbox whose messages opus checks next: it may stay open.
    func openForLook(_ mailbox: MailboxName) async throws(SinkError) -> UInt32?

    /// Opens a mailbox whose messages opus checks and then moves to another one, and says of that one what ``numbers(of:)`` would,
    /// where the account can do both in one turn. nil: it cannot, or one of them was refused; a later request says why.
    func openForLook(
        _ mailbox: MailboxName, before destination: MailboxName
    ) async throws(SinkError) -> MailboxNumbers?

    /// The next UID that a mailbox will give, before something is put into it; nil if the mailbox does not exist.
    func numbers(of mailbox: MailboxName) async throws(SinkError) -> MailboxNumbers?

    /// The same for several mailboxes that are not open; one that is not there has no entry.
    func numbers(of mailboxes: [MailboxName]) async throws(SinkError) -> [MailboxName: MailboxNumbers]

    /// The messages at those places now, with header blocks; a place without a message has no entry.
    func look(at targets: [Target], in mailbox: MailboxName) async throws(SinkError) -> [UInt32: Sighting]

    /// Adds and removes marks; returns the flags that the account shows afterwards.
    func store(
        _ change: MarkChange, on targets: [Target], in mailbox: MailboxName
    ) async throws(SinkError) -> [UInt32: Sighting]

    /// Those of the keywords that the mailbox cannot keep.
    func unkeepable(_ keywords: Set<Keyword>, in mailbox: MailboxName) async throws(SinkError) -> Set<Keyword>

    /// How a move is made here. Throws if no way is reliable.
    func wayToMove(from mailbox: MailboxName, to destination: MailboxName) async throws(SinkError)
        -> WayToMove

    /// Moves messages; returns the new place of each that the account proved.
    func move(
        _ targets: [Target], from mailbox: MailboxName, to destination: Mailbox
    ) async throws(SinkError) -> [UInt32: NewPlace]

    /// Moves messages to several mailboxes, and tells what became of each order as soon as that is known. An order that is
    /// never reported was not sent.
    func move(
        _ orders: [MoveOrder], from mailbox: MailboxName, report: @Sendable (MoveAnswer) -> Void) async

    /// The first half of ``WayToMove/copyThenRemove``: returns the place of each copy that the account proved.
    func copy(
        _ targets: [Target], from mailbox: MailboxName, to destination: Mailbox
    ) async throws(SinkError) -> [UInt32: NewPlace]

    /// Removes exactly these messages for good. Throws `unsupported` if the server can only expunge the whole mailbox.
    func remove(_ targets: [Target], from mailbox: MailboxName) async throws(SinkError)

    /// SHA-256 of all bytes of a message, hex; nil when it is not there, or too large to be read for this.
    func digest(of target: Target, in mailbox: MailboxName) async throws(SinkError) -> String?

    /// All bytes of a message; nil when it is not there, or has more than `limit`.
    func content(of target: Target, in mailbox: MailboxName, limit: Int) async throws(SinkError) -> [UInt8]?

    /// Whether a message that is moved twice is still one message: where mailboxes are labels, there are no copies.
    var movesLeaveNoCopies: Bool { get async }

    /// Whether it is a folder of this machine: the user can fix what fails there, and trying again costs nothing.
    var isLocal: Bool { get }

    /// Whether what is submitted appears in Sent by itself; a copy by opus would be a second one.
    var keepsSentCopies: Bool { get async }

    /// Messages with that text in that field of the header.
    func find(
        _ field: String, _ value: String, in mailbox: MailboxName
    ) async throws(SinkError) -> [FoundMessage]

    /// The messages with that `NewMessage.remoteID`, the account's own name; empty where it has no such names.
    func find(remoteID: String, in mailbox: MailboxName) async throws(SinkError) -> [FoundMessage]

    /// Puts a message into a mailbox; returns its place if the account reports it. Over IMAP the flags travel with it.
    func append(
        _ message: [UInt8], to mailbox: MailboxName, flags: Set<Flag>, token: MessageID, at time: Timestamp
    ) async throws(SinkError) -> NewPlace

    /// Makes a mailbox; one that exists is not an error.
    func create(_ mailbox: Mailbox) async throws(SinkError)

    /// Lets other programs show the mailbox; nothing where the account has no subscriptions, or refuses this one.
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

    /// For accounts that take one command after the other: what comes after a loss was not sent.
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

    public func find(
        remoteID: String, in mailbox: MailboxName
    ) async throws(SinkError) -> [FoundMessage] { [] }
}
