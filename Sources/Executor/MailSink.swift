public import Models

/// What the executor asks of a mail account: to look, to act, and to say what proves it.
///
/// The executor owns this interface; adapters for IMAP and Maildir translate. A mailbox is always named,
/// a message is always a ``Target``; nothing here removes a message for good.
public protocol MailSink: Sendable {
    /// The UIDVALIDITY under which UIDs are to be read now; nil when there is no such mailbox.
    func open(_ mailbox: MailboxName) async throws(SinkError) -> UInt32?

    /// What stands at those places now, with header blocks; a place without a message has no entry.
    func look(at targets: [Target], in mailbox: MailboxName) async throws(SinkError) -> [UInt32: Sighting]

    /// Adds and removes marks; answers with the flags that the account shows afterwards.
    func store(
        _ change: MarkChange, on targets: [Target], in mailbox: MailboxName
    ) async throws(SinkError) -> [UInt32: Sighting]

    /// Those of the keywords that the mailbox cannot keep.
    func unkeepable(_ keywords: Set<Keyword>, in mailbox: MailboxName) async throws(SinkError) -> Set<Keyword>

    /// Moves messages; answers with the new place of each that the account proved.
    func move(
        _ targets: [Target], from mailbox: MailboxName, to destination: Mailbox
    ) async throws(SinkError) -> [UInt32: NewPlace]

    /// Whether a message that is moved twice is still one message: where mailboxes are labels, there are no copies.
    var movesLeaveNoCopies: Bool { get async }

    /// Whether what is submitted appears in Sent by itself; a copy of ours would be a second one.
    var keepsSentCopies: Bool { get async }

    /// Messages with that Message-ID in a mailbox.
    func find(_ token: MessageID, in mailbox: MailboxName) async throws(SinkError) -> [FoundMessage]

    /// The content that the account itself calls so (`NewMessage.remoteID`); empty where it has no such names.
    func find(remoteID: String, in mailbox: MailboxName) async throws(SinkError) -> [FoundMessage]

    /// Puts a message into a mailbox. Over IMAP the flags travel with it.
    func append(
        _ message: [UInt8], to mailbox: MailboxName, flags: Set<Flag>, token: MessageID, at time: Timestamp
    ) async throws(SinkError) -> String

    /// Makes a mailbox; one that exists is no error.
    func create(_ mailbox: Mailbox) async throws(SinkError)
}

extension MailSink {
    public var movesLeaveNoCopies: Bool { false }
    public var keepsSentCopies: Bool { false }

    public func unkeepable(
        _ keywords: Set<Keyword>, in mailbox: MailboxName
    ) async throws(SinkError) -> Set<Keyword> { [] }

    public func find(
        remoteID: String, in mailbox: MailboxName
    ) async throws(SinkError) -> [FoundMessage] { [] }
}

/// One message in a mailbox: its UID, and in a Maildir the unique part of its file name.
public struct Target: Hashable, Sendable {
    public var uid: UInt32
    public var remoteName: String?

    public init(uid: UInt32, remoteName: String? = nil) {
        self.uid = uid
        self.remoteName = remoteName
    }
}

/// A message as it is on the account right now.
public struct Sighting: Equatable, Sendable {
    public var flags: Set<Flag>
    public var keywords: Set<Keyword>
    /// The header block; empty where only flags were asked for.
    public var header: [UInt8]

    public init(flags: Set<Flag>, keywords: Set<Keyword>, header: [UInt8] = []) {
        self.flags = flags
        self.keywords = keywords
        self.header = header
    }
}

public struct MarkChange: Hashable, Sendable {
    public var addFlags: Set<Flag>
    public var removeFlags: Set<Flag>
    public var addKeywords: Set<Keyword>
    public var removeKeywords: Set<Keyword>

    public init(
        addFlags: Set<Flag> = [], removeFlags: Set<Flag> = [], addKeywords: Set<Keyword> = [],
        removeKeywords: Set<Keyword> = []
    ) {
        self.addFlags = addFlags
        self.removeFlags = removeFlags
        self.addKeywords = addKeywords
        self.removeKeywords = removeKeywords
    }

    var isEmpty: Bool {
        addFlags.isEmpty && removeFlags.isEmpty && addKeywords.isEmpty && removeKeywords.isEmpty
    }

    func without(_ keywords: Set<Keyword>) -> MarkChange {
        var rest = self
        rest.addKeywords.subtract(keywords)
        rest.removeKeywords.subtract(keywords)
        return rest
    }

    /// Whether a message already shows the result.
    func holds(for sighting: Sighting) -> Bool {
        addFlags.isSubset(of: sighting.flags) && removeFlags.isDisjoint(with: sighting.flags)
            && addKeywords.isSubset(of: sighting.keywords)
            && removeKeywords.isDisjoint(with: sighting.keywords)
    }
}

/// Where a moved message stands now, and what proved it.
public struct NewPlace: Equatable, Sendable {
    /// nil: it was moved, but the account did not tell where it stands; the next sync finds it.
    public var uidValidity: UInt32?
    /// 0 in a Maildir: the store hands out the UID.
    public var uid: UInt32
    public var remoteName: String?
    public var evidence: String

    public init(uidValidity: UInt32, uid: UInt32, remoteName: String? = nil, evidence: String) {
        self.uidValidity = uidValidity
        self.uid = uid
        self.remoteName = remoteName
        self.evidence = evidence
    }

    /// Moved, to a place that the account did not tell.
    public init(evidence: String) {
        uidValidity = nil
        uid = 0
        self.evidence = evidence
    }
}

public struct FoundMessage: Equatable, Sendable {
    public var uidValidity: UInt32
    public var uid: UInt32
    public var remoteName: String?
    public var header: [UInt8]

    public init(uidValidity: UInt32, uid: UInt32, remoteName: String? = nil, header: [UInt8]) {
        self.uidValidity = uidValidity
        self.uid = uid
        self.remoteName = remoteName
        self.header = header
    }
}

/// Why an account did not do what was asked.
public enum SinkError: Error, Equatable, Sendable {
    /// The account said no, in these words; nothing was changed. It is tried again later, then shown.
    case refused(String)
    /// The connection was lost: what was asked may or may not have happened.
    case lost(String)
    /// The account cannot do this at all.
    case unsupported(String)
}

/// Submits messages for sending.
public protocol MailSubmitter: Sendable {
    /// Submits one message. `beforeFinalDot` is awaited when nothing but the final dot is left to be sent.
    func submit(
        _ message: [UInt8], reversePath: String, forwardPaths: [String],
        beforeFinalDot: @Sendable () async throws -> Void
    ) async throws(SubmissionError) -> String
}

public enum SubmissionError: Error, Equatable, Sendable {
    /// Nothing was accepted: it may be tried again.
    case notSent(String)
    /// Refused for good, in the server's words.
    case rejected(String)
    /// The final dot left, its answer did not come: never sent again by itself.
    case unknown(String)
}
