public import Models

/// An account that cannot be reached: every request fails.
public struct NoSink: MailSink {
    private static let reason = "the account cannot be reached"

    public init() {}

    public func open(_ mailbox: MailboxName) throws(SinkError) -> UInt32? { throw .lost(Self.reason) }

    public func numbers(of mailbox: MailboxName) throws(SinkError) -> MailboxNumbers? {
        throw .lost(Self.reason)
    }

    public func look(
        at targets: [Target], in mailbox: MailboxName
    ) throws(SinkError) -> [UInt32: Sighting] { throw .lost(Self.reason) }

    public func store(
        _ change: MarkChange, on targets: [Target], in mailbox: MailboxName
    ) throws(SinkError) -> [UInt32: Sighting] { throw .lost(Self.reason) }

    public func wayToMove(
        from mailbox: MailboxName, to destination: MailboxName
    ) throws(SinkError) -> WayToMove { throw .lost(Self.reason) }

    public func move(
        _ targets: [Target], from mailbox: MailboxName, to destination: Mailbox
    ) throws(SinkError) -> [UInt32: NewPlace] { throw .lost(Self.reason) }

    public func copy(
        _ targets: [Target], from mailbox: MailboxName, to destination: Mailbox
    ) throws(SinkError) -> [UInt32: NewPlace] { throw .lost(Self.reason) }

    public func remove(_ targets: [Target], from mailbox: MailboxName) throws(SinkError) {
        throw .lost(Self.reason)
    }

    public func digest(of target: Target, in mailbox: MailboxName) throws(SinkError) -> String? {
        throw .lost(Self.reason)
    }

    public func content(
        of target: Target, in mailbox: MailboxName, limit: Int
    ) throws(SinkError) -> [UInt8]? { throw .lost(Self.reason) }

    public func find(
        _ field: String, _ value: String, in mailbox: MailboxName
    ) throws(SinkError) -> [FoundMessage] { throw .lost(Self.reason) }

    public func append(
        _ message: [UInt8], to mailbox: MailboxName, flags: Set<Flag>, token: MessageID, at time: Timestamp
    ) throws(SinkError) -> NewPlace { throw .lost(Self.reason) }

    public func create(_ mailbox: Mailbox) throws(SinkError) { throw .lost(Self.reason) }
}
