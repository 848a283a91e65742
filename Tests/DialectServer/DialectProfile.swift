/// How one server talks: what it says of itself, what it offers, and its habits.
///
/// A pure value. The rows are in `Profiles.swift`; `docs/Quirks.md` has the names of the quirks.
public struct DialectProfile: Sendable, CustomStringConvertible {
    /// How a server refuses to hand out one message that it cannot read.
    public enum Unreadable: Sendable {
        /// OK, and nothing of that message (Exchange).
        case leftOut
        /// `NO [UNAVAILABLE]` after the others (Yahoo).
        case refused
        /// `BODY[] NIL`.
        case null
    }

    /// What a server says to UID commands on messages that are gone.
    public enum GoneMove: Sendable {
        case ok
        /// Stalwart.
        case no
    }

    public var name: String
    /// After `* OK `.
    public var greeting: String
    /// `* ID (…)`; nil: the server answers NIL.
    public var id: [(String, String)]?
    public var offeredBefore: [String]
    public var offeredAfter: [String]
    public var mailboxes: [(name: String, attributes: [String])]
    public var delimiter = "/"
    /// Every mailbox but INBOX must begin so.
    public var prefix = ""

    // MARK: Habits, all off in the plain server

    /// The OK to a login carries `[CAPABILITY …]`.
    public var tellsCapabilitiesAtLogin = false
    public var saysEnabled = true
    /// New messages are seen without another SELECT.
    public var showsNewMessages = true
    public var tellsUIDNext = true
    /// `* OK [HIGHESTMODSEQ 5]` without human-readable text.
    public var leavesTextOut = false
    /// RFC822.SIZE is too large by so many octets.
    public var sizeError = 0
    public var statusEndsInSpace = false
    /// `(UID 19436 )`.
    public var addsSpaceToFetch = false
    /// The longest command line; longer is BAD.
    public var lineLimit = 65_536
    public var refusesExtendedList = false
    public var refusesExtendedSearch = false
    public var refusesUIDExpunge = false
    public var refusesDescendingSets = false
    public var refusesSelectBeforeID = false
    public var refusesEmptyID = false
    /// `1:*` means the highest that is still there, so the last ones that went are not told.
    public var starHidesVanished = false
    public var closesOnMoveToTrash = false
    /// Pairs of COPYUID in an order of its own.
    public var shufflesCopyUID = false
    /// COPYUID comes in a line of its own, before the tagged one, also for COPY.
    public var copyUIDIsUntagged = false
    /// EXPUNGE comes before the untagged COPYUID of a MOVE.
    public var expungesFirst = false
    /// FLAGS of a message come in a response of their own.
    public var splitsFetch = false
    public var unreadable = Unreadable.leftOut
    public var goneMove = GoneMove.ok
    /// A session without commands for so long is ended, by the virtual clock.
    public var autologoutSeconds: Int64 = 30 * 60

    public init(
        _ name: String, greeting: String, id: [(String, String)]? = nil, before: String, after: String,
        mailboxes: [(name: String, attributes: [String])] = Self.plainMailboxes
    ) {
        self.name = name
        self.greeting = greeting
        self.id = id
        offeredBefore = before.split(separator: " ").map(String.init)
        offeredAfter = after.split(separator: " ").map(String.init)
        self.mailboxes = mailboxes
    }

    public var description: String { name }

    public var isGmail: Bool { offers("X-GM-EXT-1") }

    /// After the login. IMAP4rev2 brings what it took over. RFC 9051 appendix E.
    public func offers(_ capability: String) -> Bool {
        offeredAfter.contains(capability)
            || (offeredAfter.contains("IMAP4rev2") && Self.revision2.contains(capability))
    }

    private static let revision2: Set<String> = [
        "NAMESPACE", "UNSELECT", "UIDPLUS", "ESEARCH", "SEARCHRES", "ENABLE", "IDLE", "SASL-IR",
        "LIST-EXTENDED", "LIST-STATUS", "MOVE", "LITERAL-", "SPECIAL-USE",
    ]

    /// What the server takes in literals that do not wait, in octets.
    var largestPromptLiteral: Int {
        if offers("LITERAL+") { return .max }
        return offers("LITERAL-") ? 4_096 : 0
    }

    public static let plainMailboxes: [(name: String, attributes: [String])] = [
        ("INBOX", []), ("Archive", []), ("Drafts", []), ("Sent", []), ("Trash", []), ("Junk", []),
        ("Entw&APw-rfe", []),
    ]
}
