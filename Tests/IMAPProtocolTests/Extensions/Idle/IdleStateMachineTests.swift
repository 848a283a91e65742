import Testing

@testable import IMAPProtocol

/// One event of an IDLE, and what the machine must answer.
enum IdleEvent: Sendable {
    case start
    case continuation
    case end
    case tagged(StatusResponse.Status)

    func apply(to machine: inout IdleStateMachine) throws(IdleError) -> IdleStateMachine.Action {
        switch self {
        case .start: try machine.start(tag: IdleStateMachineTests.tag)
        case .continuation: try machine.receiveContinuation()
        case .end: machine.end()
        case .tagged(let status):
            try machine.receiveTagged(IdleStateMachineTests.tag, StatusResponse(status, text: "so"))
        }
    }
}

struct IdleExchange: Sendable, CustomTestStringConvertible {
    let name: String
    let steps: [(event: IdleEvent, action: IdleStateMachine.Action)]

    init(_ name: String, _ steps: (IdleEvent, IdleStateMachine.Action)...) {
        self.name = name
        self.steps = steps.map { (event: $0.0, action: $0.1) }
    }

    var testDescription: String { name }
}

@Suite struct IdleStateMachineTests {
    static let tag = CommandTag(rawValue: "A7")

    @Test(arguments: [
        IdleExchange(
            "asks, listens, ends, and can ask again",
            (.start, .sendIdle(tag)), (.continuation, .listen), (.end, .sendDone),
            (.tagged(.ok), .finish(.ended)), (.start, .sendIdle(tag))),
        IdleExchange(
            "an early end waits for the server, for DONE would be read as a command",
            (.start, .sendIdle(tag)), (.end, .wait), (.continuation, .sendDone),
            (.tagged(.ok), .finish(.ended))),
        IdleExchange(
            "a refusal says why", (.start, .sendIdle(tag)), (.tagged(.no), .finish(.refused(text: "so")))),
        IdleExchange(
            "BAD means that the server does not know IDLE", (.start, .sendIdle(tag)),
            (.tagged(.bad), .finish(.unknown(text: "so")))),
        IdleExchange(
            "the server ends it by itself", (.start, .sendIdle(tag)), (.continuation, .listen),
            (.tagged(.ok), .finish(.ended))),
        IdleExchange(
            "a second + is a sign of life", (.start, .sendIdle(tag)), (.continuation, .listen),
            (.continuation, .wait), (.end, .sendDone), (.end, .wait)),
        IdleExchange("an end before the start is nothing", (.end, .wait)),
    ])
    func exchange(_ exchange: IdleExchange) throws {
        var machine = IdleStateMachine()
        for (index, step) in exchange.steps.enumerated() {
            #expect(try step.event.apply(to: &machine) == step.action, "step \(index)")
        }
    }

    @Test("commands in the wrong order are refused, and the state does not change")
    func order() throws {
        var machine = IdleStateMachine()
        #expect(throws: IdleError.unexpectedContinuation) { try machine.receiveContinuation() }
        #expect(throws: IdleError.unknownTag(Self.tag)) {
            try machine.receiveTagged(Self.tag, StatusResponse(.ok))
        }
        _ = try machine.start(tag: Self.tag)
        #expect(throws: IdleError.alreadyRunning) { try machine.start(tag: Self.tag) }
        let other = CommandTag(rawValue: "A8")
        #expect(throws: IdleError.unknownTag(other)) { try machine.receiveTagged(other, StatusResponse(.ok)) }
        #expect(machine.state == .requested(Self.tag, endRequested: false))
    }
}
