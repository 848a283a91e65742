import MIMEParser
public import Models

/// A message that a search of the account found.
public struct FoundMessage: Equatable, Sendable {
    public var uidValidity: UInt32
    /// 0 in a Maildir.
    public var uid: UInt32
    public var remoteName: String?
    public var header: [UInt8]
    /// INTERNALDATE and size in octets; nil: the account did not report it.
    public var received: Timestamp?
    public var size: Int?

    public init(
        uidValidity: UInt32, uid: UInt32, remoteName: String? = nil, header: [UInt8],
        received: Timestamp? = nil, size: Int? = nil
    ) {
        self.uidValidity = uidValidity
        self.uid = uid
        self.remoteName = remoteName
        self.header = header
        self.received = received
        self.size = size
    }
}

extension FoundMessage {
    /// The name of the place in texts for users.
    var place: String { remoteName ?? "UID \(uid)" }

    /// Servers match parts of the field, so the whole field must be compared.
    var messageID: MessageID? { MIMEParser.parse(header).envelope.messageID }

    /// The outcome of a step, with this place.
    func outcome(in mailbox: MailboxName, of account: AccountID) -> StepOutcome {
        var outcome = StepOutcome()
        outcome.place = MessageKey(account: account, mailbox: mailbox, uidValidity: uidValidity, uid: uid)
        outcome.remoteName = remoteName
        return outcome
    }
}
