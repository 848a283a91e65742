public import IMAPProtocol
import Logging
public import Models
import NIOCore
import Transport

/// One IMAP session: commands out, responses in, one command after the other.
///
/// The actor owns the connection and the exchange on it. The requests are in small values over it:
/// ``mailboxes``, ``messages`` and ``changes``. Calls from several tasks wait for their turn. After a protocol error, the
/// end of the stream or a timeout the client is dead, and each later call throws the error that ended it. There is no
/// EXPUNGE without UIDs and no CLOSE. RFC 3501, RFC 9051.
public actor IMAPConnection {
    let connection: Connection
    let logger: Logger
    var decoder = ResponseDecoder()
    /// nil unless the log is read.
    var trace: ProtocolTrace?
    var machine: ConnectionStateMachine
    /// Why the client is dead.
    var failure: IMAPClientError?
    /// The FETCH that is running.
    var pipeline: FetchPipeline?
    /// The pass over many mailboxes that is running.
    var pass: ResyncPass?
    /// The message that was being fetched when the connection broke.
    public private(set) var interrupted: UnansweredFetch?
    /// Of a pass over many mailboxes: whose new messages were being fetched when the client died.
    public private(set) var interruptedRequest: Int?
    /// How long to wait for the next bytes; nil for the time that the connection was opened with.
    var patience: Duration?
    /// The time that the running command has taken so far; starts again when a command ends.
    var answerTime = AnswerTime()
    /// For how long nothing had passed when the connection was cut in the middle of a wait; nil: it was not.
    public internal(set) var silenceBeforeCut: Duration?
    /// What the server reported of mailboxes that are not open.
    var news = MailboxNews()
    /// What the server refused in this session, and the client does not request again.
    var refused = RefusedForms()
    /// The shortest time that the server took to answer while the session was opened.
    var roundTrip: Duration?
    /// What the server said of itself, for ``profile``.
    var greeting = ""
    var identity: [IDField] = []
    var knownProfile: ServerProfile?
    var enabled: Set<Capability> = []
    var hasAskedToEnable = false
    /// Whether the user wants UTF8=ACCEPT to be enabled where the server offers it. RFC 6855.
    let wantsUTF8: Bool
    /// What the account lets opus do.
    public nonisolated let permissions: Permissions
    /// CAPABILITY and ID are still to be sent: they go with the first command of the session.
    var owesIntroduction = false
    /// Responses about messages that did not parse.
    var lostAnswers = 0
    var turns = Turns()

    /// What the server wants people to read: the last ten ALERTs. Text from a stranger. RFC 3501 §7.1.
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

    /// Ends the client for good, and gives back the error to throw: the first one stays.
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

    /// How long the server may say nothing from now on; nil for the time that the connection was opened with.
    public func wait(atMost patience: Duration?) { self.patience = patience }
}

/// Forms of commands that a server refused although it offers them.
struct RefusedForms {
    /// LIST with options, or XLIST.
    var extendedList = false
    /// SELECT (CONDSTORE).
    var condstore = false
    /// SELECT (QRESYNC …).
    var qresync = false
    var idle = false
}

// MARK: - What is known of the server

extension IMAPConnection {
    /// Whether commands can still be sent. A peer that went away in silence is only noticed by the next one.
    public var isAlive: Bool { failure == nil && machine.state != .logout }

    /// What the server can do, as it said after login.
    public var capabilities: Set<Capability> { machine.capabilities }

    /// How often the server broke the grammar in a way that we know.
    public var quirks: QuirkCounts { decoder.quirks }

    /// How many responses were skipped because they do not parse. When it grows during a sync step, what
    /// the step learned may be incomplete.
    public var unparsableCount: Int { decoder.unparsableCount }

    /// How many of those said something about messages: when it grows during a sync step, what the step learned is
    /// incomplete, and the mailbox wants a full comparison.
    public var lostAnswerCount: Int { lostAnswers }

    /// What is known of this server beyond its capabilities, by what it said so far.
    public var profile: ServerProfile {
        if let knownProfile { return knownProfile }
        let found = ServerProfile.detect(
            greeting: greeting, capabilities: capabilities, id: identity, host: connection.endpoint.host)
        knownProfile = found
        return found
    }

    /// How the server tells what changed in a mailbox; QRESYNC counts once it is enabled, by
    /// ``MailboxCommands/survey(_:)``.
    public var changeReporting: ChangeReporting {
        if !refused.qresync, enabled.contains(.qresync), profile.usesQResync { return .qresync }
        return tracksModSeq ? .condstore : .none
    }

    /// Names of mailboxes travel as UTF-8; outside this client they are modified UTF-7 anyway.
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
