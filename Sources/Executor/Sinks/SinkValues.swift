public import Models

/// A message as it is on the account right now.
public struct Sighting: Equatable, Sendable {
    public var flags: Set<Flag>
    public var keywords: Set<Keyword>
    /// The header block; empty where only flags were requested.
    public var header: [UInt8]
    /// Octets; nil: the account did not tell.
    public var size: Int?

    public init(flags: Set<Flag>, keywords: Set<Keyword>, header: [UInt8] = [], size: Int? = nil) {
        self.flags = flags
        self.keywords = keywords
        self.header = header
        self.size = size
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

/// The new place of a moved message, and what proved it.
public struct NewPlace: Equatable, Sendable {
    /// nil: it was moved, but the account did not name its place; the next sync finds it.
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

    /// Moved, to a place that the account did not report.
    public init(evidence: String) {
        uidValidity = nil
        uid = 0
        self.evidence = evidence
    }
}

/// Messages of one mailbox, and the one that they go to.
public struct MoveOrder: Sendable {
    public var targets: [Target]
    public var destination: Mailbox
}

/// The result of an order: the new place of each message that the account proved, or why it was not carried out.
public struct MoveAnswer: Sendable {
    /// Its index among the orders.
    public var order: Int
    public var result: Result<[UInt32: NewPlace], SinkError>
}

public enum WayToMove: Sendable {
    /// One command, or one rename: the message is always at one of the two ends.
    case atOnce
    /// A copy, its proof, and only then the removal of the original: each noted in the journal.
    case copyThenRemove
}

/// Why an account did not carry out a request.
public enum SinkError: Error, Equatable, Sendable {
    /// The account said no, in these words; nothing was changed. It is tried again later, then shown.
    case refused(String)
    /// The account said no, in these words, and one of several messages may be the cause: the others may be tried
    /// again at once, in parts. What is refused alone is tried again later, as ``refused(_:)``.
    case refusedSome(String)
    /// Something must become free first, a lock or room: nothing was changed, and opus waits as long as it takes.
    case busy(String)
    /// The connection was lost: the request may or may not have been carried out.
    case lost(String)
    /// The account cannot do this at all.
    case unsupported(String)
}
