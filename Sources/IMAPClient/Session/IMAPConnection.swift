public import IMAPProtocol
import Logging
public import Models
import NIOCore
import Transport

/// One IMAP session, with one call after the other. RFC 3501, RFC 9051.
///
/// The actor owns the connection. The requests are in small values: ``mailboxes``, ``messages`` and ``changes``. Calls
/// from several tasks wait for their turn. After a protocol error, the end of the stream or a timeout, the client has
/// ended, and later calls throw the same error. There is no EXPUNGE without UIDs and no CLOSE.
public actor IMAPConnection {
    let connection: Connection
    let logger: Logger
    var decoder = ResponseDecoder()
    /// nil: no log is shown.
    var trace: ProtocolTrace?
    var machine: ConnectionStateMachine
    /// The error that ended the client.
    var failure: IMAPClientError?
    /// The running FETCH.
    var pipeline: FetchPipeline?
    /// The running pass over many mailboxes.
    var pass: ResyncPass?
    /// The messages that were being fetched when the connection broke.
    public private(set) var interrupted: UnansweredFetch?
    /// In a pass over many mailboxes: the request whose messages were being fetched when the client ended.
    public private(set) var interruptedRequest: Int?
    /// How long to wait for the next bytes; nil: the time given when the connection was opened.
    var patience: Duration?
    /// The time that the running command has taken; starts again when a command ends.
    var answerTime = AnswerTime()
    /// The silence before the connection was cut during a wait; nil: it was not cut.
    public internal(set) var silenceBeforeCut: Duration?
    /// Reports of the server about mailboxes that are not open.
    var news = MailboxNews()
    /// Where the mailboxes of each owner are; nil: not requested yet.
    var namespaces: NamespaceResponse?
    /// Forms of commands that the server refused in this session. The client does not send them again.
    var refused = RefusedForms()
    /// The shortest answer time while the session was opened.
    var roundTrip: Duration?
    /// The text of the greeting, for ``profile``.
    var greeting = ""
    var identity: [IDField] = []
    var knownProfile: ServerProfile?
    var enabled: Set<Capability> = []
    var hasAskedToEnable = false
    /// Whether to enable UTF8=ACCEPT if the server offers it. RFC 6855.
    let wantsUTF8: Bool
    /// What the account allows opus to do.
    public nonisolated let permissions: Permissions
    /// Whether CAPABILITY and ID are still due. They are sent with the first command of the session.
    var owesIntroduction = false
    /// The number of unparsable responses about messages.
    var lostAnswers = 0
    var turns = Turns()

    /// The last ten ALERTs of the server, for the user. They are text from a stranger. RFC 3501 §7.1.
    public internal(set) var alerts: [String] = []

    init(
        connection: Connection, protection: ConnectionStateMachine.Protection, wantsUTF8: Bool = false,
        permissions: Permissions = .full, logger: Logger
    ) {
        self.permissions = permissions
        self.connection = connection
        self.wantsUTF8 = wantsUTF8
        self.logger = logger
        machine = ConnectionStateMachine(protection: protection)
        guard logger.logLevel <= .trace else { return }
        trace = ProtocolTrace()
        decoder.keepsFrames = true
    }

    /// Ends the client, and returns the error to throw. The first error stays.
    func fail(_ error: IMAPClientError) async -> IMAPClientError {
        if let failure { return failure }
        failure = error
        interrupted = pipeline?.unanswered
        interruptedRequest = pass?.fetching
        pipeline = nil
        machine.startLogout()
        await connection.close()
        return error
    }

    /// Sets how long the server may be silent; nil: the time given when the connection was opened.
    public func wait(atMost patience: Duration?) { self.patience = patience }
}

/// Forms of commands that a server offers but refused.
struct RefusedForms {
    /// LIST with options, or XLIST.
    var extendedList = false
    /// SELECT (CONDSTORE).
    var condstore = false
    /// SELECT (QRESYNC …).
    var qresync = false
    /// How many checks with NOOP come before the next IDLE; `.max`: the server does not know IDLE.
    var idle = 0
}

// MARK: - Server

extension IMAPConnection {
    /// Whether commands can be sent. Only the next command shows that a silent connection is dead.
    public var isAlive: Bool { failure == nil && machine.state != .logout }

    /// The server's capabilities after the login.
    public var capabilities: Set<Capability> { machine.capabilities }

    /// How often each known deviation from the grammar occurred.
    public var quirks: QuirkCounts { decoder.quirks }

    /// The number of skipped responses that could not be parsed. If it grows during a step of a sync, the result of
    /// that step may be incomplete.
    public var unparsableCount: Int { decoder.unparsableCount }

    /// The number of those that may have been about messages. If it grows during a step of a sync, its result is
    /// incomplete, and the mailbox needs a full comparison.
    public var lostAnswerCount: Int { lostAnswers }

    /// The known properties of this server beyond its capabilities.
    public var profile: ServerProfile {
        if let knownProfile { return knownProfile }
        let found = ServerProfile.detect(
            greeting: greeting, capabilities: capabilities, id: identity, host: connection.endpoint.host)
        knownProfile = found
        return found
    }

    /// How the server reports changes in a mailbox. QRESYNC counts only after ``MailboxCommands/survey(_:)`` has
    /// enabled it.
    public var changeReporting: ChangeReporting {
        if !refused.qresync, enabled.contains(.qresync), profile.usesQResync { return .qresync }
        return tracksModSeq ? .condstore : .none
    }

    /// Whether mailbox names are sent as UTF-8. Outside this client they are always modified UTF-7.
    var speaksUTF8: Bool { enabled.contains(.utf8Accept) }

    /// QRESYNC implies CONDSTORE. RFC 7162 §3.2.3.
    var tracksModSeq: Bool {
        profile.usesCondstore && (capabilities.contains(.condstore) || capabilities.contains(.qresync))
    }

    /// The mailbox that is open, by its exact name.
    public var selected: [UInt8]? {
        guard case .selected(let name, _) = machine.state else { return nil }
        return name
    }
}
