import SASL
import TestSupport
import Testing

@testable import IMAPProtocol

/// One event for a machine, and the expected action.
enum Event: Sendable {
    case greeting(StatusResponse.Status, Set<Capability>? = nil)
    case capabilities(Set<Capability>)
    case tagged(StatusResponse.Status)
    case handshake
    case login(capabilities: Set<Capability>? = nil)

    func apply(
        to machine: inout ConnectionStateMachine
    ) throws(ConnectionStateError) -> ConnectionStateMachine.Action? {
        switch self {
        case .greeting(let status, let offered):
            return try machine.receiveGreeting(
                StatusResponse(status, code: offered.map(ResponseCode.capability), text: "hi"))
        case .capabilities(let offered):
            machine.receiveCapabilities(offered)
            return nil
        case .tagged(let status): return try machine.receiveTagged(StatusResponse(status, text: "so"))
        case .handshake: return try machine.receiveHandshake()
        case .login(let known): return try machine.receiveLogin(capabilities: known)
        }
    }
}

struct Exchange: Sendable, CustomTestStringConvertible {
    let name: String
    let protection: ConnectionStateMachine.Protection
    let steps: [(event: Event, action: ConnectionStateMachine.Action?)]
    let error: ConnectionStateError?
    let isOver: Bool

    init(
        _ name: String, _ protection: ConnectionStateMachine.Protection,
        _ steps: (Event, ConnectionStateMachine.Action?)..., fails error: ConnectionStateError? = nil,
        isOver: Bool = true
    ) {
        self.name = name
        self.protection = protection
        self.steps = steps.map { (event: $0.0, action: $0.1) }
        self.error = error
        self.isOver = isOver
    }

    var testDescription: String { name }
}

@Suite struct ConnectionStateMachineTests {
    @Test(arguments: [
        Exchange(
            "a login that told what the server can do", .tls,
            (.greeting(.ok, [.authPlain, .saslIR]), .logIn),
            (.login(capabilities: [.id, .move]), .finish)),
        Exchange(
            "TLS, login, capabilities again, ID", .tls,
            (.greeting(.ok), .sendCapability),
            (.capabilities([.authPlain, .saslIR]), nil),
            (.tagged(.ok), .logIn),
            (.login(), .sendCapability),
            (.capabilities([.id]), nil),
            (.tagged(.ok), .sendID),
            (.tagged(.bad), .finish)),
        Exchange(
            "without ID none is sent", .loopback,
            (.greeting(.ok), .sendCapability),
            (.tagged(.ok), .logIn),
            (.login(), .sendCapability),
            (.tagged(.ok), .finish)),
        Exchange(
            "a greeting that says enough saves a turn", .tls,
            (.greeting(.ok, [.authPlain, .saslIR]), .logIn),
            (.login(), .sendCapability),
            (.tagged(.ok), .finish)),
        Exchange(
            "STARTTLS in it is no matter where no TLS is due", .loopback,
            (.greeting(.ok, [.authPlain, .startTLS]), .logIn)),
        Exchange(
            "a greeting without a login is a short one: ask", .tls,
            (.greeting(.ok, [.imap4rev1, .id]), .sendCapability),
            (.tagged(.ok), .logIn)),
        Exchange(
            "so is one that forbids LOGIN", .tls,
            (.greeting(.ok, [.authPlain, .loginDisabled]), .sendCapability)),
        Exchange(
            "and one that offers STARTTLS under TLS", .tls,
            (.greeting(.ok, [.authPlain, .startTLS]), .sendCapability)),
        Exchange(
            "what a greeting says before STARTTLS is forgotten", .startTLS,
            (.greeting(.ok, [.authPlain, .saslIR]), .sendStartTLS),
            (.tagged(.ok), .startTLS),
            (.handshake, .sendCapability)),
        Exchange(
            "a login that nobody asked for", .tls,
            (.greeting(.ok), .sendCapability),
            (.login(), nil),
            fails: .unexpected("a login"), isOver: false),
        Exchange(
            "STARTTLS comes first, and what was said before it is forgotten", .startTLS,
            (.greeting(.ok), .sendStartTLS),
            (.capabilities([.authPlain, .saslIR]), nil),
            (.tagged(.ok), .startTLS),
            (.capabilities([.authPlain, .saslIR]), nil),
            (.handshake, .sendCapability),
            (.tagged(.ok), .logIn)),
        Exchange(
            "no login when STARTTLS is refused", .startTLS,
            (.greeting(.ok), .sendStartTLS),
            (.tagged(.bad), nil),
            fails: .startTLSRefused("so")),
        Exchange(
            "PREAUTH before STARTTLS is an attack", .startTLS,
            (.greeting(.preauth), nil),
            fails: .preauthBeforeTLS),
        Exchange(
            "PREAUTH inside TLS is a login", .tls,
            (.greeting(.preauth), .sendCapability),
            (.tagged(.ok), .finish)),
        Exchange("BYE as a greeting", .tls, (.greeting(.bye), nil), fails: .bye("hi")),
        Exchange("NO as a greeting", .tls, (.greeting(.no), nil), fails: .unexpected("NO as a greeting")),
    ])
    func exchange(_ exchange: Exchange) throws {
        var machine = ConnectionStateMachine(protection: exchange.protection)
        for (index, step) in exchange.steps.enumerated() {
            if index == exchange.steps.count - 1, let error = exchange.error {
                #expect(throws: error) { try step.event.apply(to: &machine) }
                #expect((machine.state == .logout) == exchange.isOver)
            } else {
                #expect(try step.event.apply(to: &machine) == step.action, "step \(index)")
            }
        }
    }

    @Test("a STARTTLS connection is unencrypted until the handshake ends")
    func channel() throws {
        var machine = ConnectionStateMachine(protection: .startTLS)
        #expect(machine.channel == .open)
        _ = try machine.receiveGreeting(StatusResponse(.ok))
        #expect(machine.channel == .open)
        _ = try machine.receiveTagged(StatusResponse(.ok))
        #expect(machine.channel == .open)
        _ = try machine.receiveHandshake()
        #expect(machine.channel == .encrypted)
        #expect(ConnectionStateMachine(protection: .loopback).channel == .thisMachine)
    }

    private func loggedIn() throws -> ConnectionStateMachine {
        var machine = ConnectionStateMachine(protection: .tls)
        _ = try machine.receiveGreeting(StatusResponse(.preauth))
        _ = try machine.receiveTagged(StatusResponse(.ok))
        return machine
    }

    @Test("a SELECT closes the previous mailbox, even if it fails")
    func select() throws {
        var machine = try loggedIn()
        #expect(throws: ConnectionStateError.noMailboxSelected) { try machine.requireSelected() }
        try machine.startSelect()
        machine.endSelect(mailbox: bytes("INBOX"), readOnly: true)
        try machine.requireSelected()
        #expect(machine.state == .selected(mailbox: bytes("INBOX"), readOnly: true))
        try machine.startSelect()
        #expect(throws: ConnectionStateError.noMailboxSelected) { try machine.requireSelected() }
    }

    @Test("mailbox commands are refused before the login and after the end")
    func order() throws {
        var machine = ConnectionStateMachine(protection: .tls)
        #expect(throws: ConnectionStateError.notLoggedIn) { try machine.startSelect() }
        machine = try loggedIn()
        #expect(throws: ConnectionStateError.bye("gone")) { try machine.receiveBye("gone") }
        #expect(throws: ConnectionStateError.loggedOut) { try machine.requireAuthenticated() }
        try machine.receiveBye("again")
        machine.endSelect(mailbox: [], readOnly: false)
        #expect(machine.state == .logout)
    }

    @Test("a tagged response without a command is refused")
    func strayTagged() throws {
        var machine = try loggedIn()
        #expect(throws: ConnectionStateError.self) { try machine.receiveTagged(StatusResponse(.ok)) }
        #expect(throws: ConnectionStateError.self) { try machine.receiveGreeting(StatusResponse(.ok)) }
        #expect(throws: ConnectionStateError.self) { try machine.receiveHandshake() }
    }
}
