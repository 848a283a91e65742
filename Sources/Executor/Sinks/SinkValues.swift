public import Models

/// A message in the account, as it is now.
public struct Sighting: Equatable, Sendable {
    public var flags: Set<Flag>
    public var keywords: Set<Keyword>
    /// The header block; empty if only flags were requested.
    public var header: [UInt8]
    /// In octets; nil: the account did not report it.
    public var size: Int?
    /// false: the message is there, but the account did not return it.
    public var isReadable = true

    /// A message that is there, and that the account did not return.
    public static var unreadable: Sighting {
        var sighting = Sighting(flags: [], keywords: [])
        sighting.isReadable = false
        return sighting
    }

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

    func without(_ keywords: Set<Keyword>, _ flags: Set<Flag>) -> MarkChange {
        var rest = self
        rest.addFlags.subtract(flags)
        rest.removeFlags.subtract(flags)
        rest.addKeywords.subtract(keywords)
        rest.removeKeywords.subtract(keywords)
        return rest
    }

    /// Whether one of them sets a mark that the other one removes.
    func isOpposite(of other: MarkChange) -> Bool {
        !addFlags.isDisjoint(with: other.removeFlags) || !removeFlags.isDisjoint(with: other.addFlags)
            || !addKeywords.isDisjoint(with: other.removeKeywords)
            || !removeKeywords.isDisjoint(with: other.addKeywords)
    }

    /// Whether a message already has the requested marks.
    func holds(for sighting: Sighting) -> Bool {
        addFlags.isSubset(of: sighting.flags) && removeFlags.isDisjoint(with: sighting.flags)
            && addKeywords.isSubset(of: sighting.keywords)
            && removeKeywords.isDisjoint(with: sighting.keywords)
    }
}

/// The new place of a moved message, with its proof.
public struct NewPlace: Equatable, Sendable {
    /// nil: it was moved, but the account did not report its place; the next sync finds it.
    public var uidValidity: UInt32?
    /// 0 in a Maildir: the store assigns the UID.
    public var uid: UInt32
    public var remoteName: String?
    public var evidence: String

    public init(uidValidity: UInt32, uid: UInt32, remoteName: String? = nil, evidence: String) {
        self.uidValidity = uidValidity
        self.uid = uid
        self.remoteName = remoteName
        self.evidence = evidence
    }

    /// The message was moved to a place that the account did not report.
    public init(evidence: String) {
        uidValidity = nil
        uid = 0
        self.evidence = evidence
    }
}

/// Messages of one mailbox, and their destination.
public struct MoveOrder: Sendable {
    public var targets: [Target]
    public var destination: Mailbox
}

/// The result of an order: each new place that the account proved, or why the order was not executed.
public struct MoveAnswer: Sendable {
    /// Its index among the orders.
    public var order: Int
    public var result: Result<[UInt32: NewPlace], SinkError>
}

public enum WayToMove: Sendable {
    /// One command, or one rename: the message is always in one of the two mailboxes.
    case atOnce
    /// A copy, its proof, and then the removal of the original. Each part is noted in the journal.
    case copyThenRemove
}

/// Why an account did not execute a request.
public enum SinkError: Error, Equatable, Sendable {
    /// The account refused, with this text; nothing was changed. opus tries again later, and finally reports
    /// it.
    case refused(String)
    /// The account refused, with this text, and one of several messages may be the cause: the others may be
    /// tried at once, in parts. A message that is refused alone is tried again later, as for ``refused(_:)``.
    case refusedSome(String)
    /// A resource must become free first, such as a lock or space. Nothing was changed, and opus waits as
    /// long as it takes.
    case busy(String)
    /// The connection was lost: the request may or may not have been executed.
    case lost(String)
    /// The account does not support this.
    case unsupported(String)

    /// What the account said.
    public var reason: String {
        switch self {
        case .refused(let reason), .refusedSome(let reason), .busy(let reason), .lost(let reason),
            .unsupported(let reason):
            reason
        }
    }
}
