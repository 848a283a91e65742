import NIOCore
import Testing

@testable import Transport

/// What happened, and what the handler had to do then.
@Suite struct InboxTests {
    enum Event: Sendable {
        case ask
        case bytes(String)
        case readOver
        case timeout
        case end
        case fail
        case close
    }

    struct Trace: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [(Event, Inbox.Action)]
        var testDescription: String { name }

        init(_ name: String, _ steps: (Event, Inbox.Action)...) {
            self.name = name
            self.steps = steps
        }
    }

    static func deliver(_ text: String) -> Inbox.Action { .deliver(ByteBuffer(string: text)) }

    static let traces: [Trace] = [
        Trace(
            "the socket is read because somebody asks",
            (.ask, .read), (.bytes("a"), .wait), (.readOver, deliver("a")), (.readOver, .wait)),
        Trace(
            "a read that brought nothing is repeated",
            (.ask, .read), (.readOver, .read), (.bytes("a"), .wait), (.readOver, deliver("a"))),
        Trace(
            "bytes that nobody waits for are kept, and no more are read",
            (.bytes("a"), .wait), (.readOver, .wait), (.bytes("b"), .wait), (.readOver, .wait),
            (.ask, deliver("ab")), (.ask, .read)),
        Trace(
            "a timeout loses nothing",
            (.ask, .read), (.timeout, .fail(.timedOut(.receive))), (.bytes("a"), .wait), (.readOver, .wait),
            (.ask, deliver("a"))),
        Trace(
            "a late alarm means nothing", (.ask, .read), (.bytes("a"), .wait), (.readOver, deliver("a")),
            (.timeout, .wait)),
        Trace(
            "the end is told to who waits, and to who asks later", (.ask, .read), (.end, .finish),
            (.ask, .finish)),
        Trace(
            "what came before the end is not lost",
            (.bytes("a"), .wait), (.end, .wait), (.ask, deliver("a")), (.ask, .finish)),
        Trace(
            "what came with the end is not lost",
            (.ask, .read), (.bytes("a"), .wait), (.end, deliver("a")), (.ask, .finish)),
        Trace(
            "the first reason stays",
            (.fail, .wait), (.end, .wait), (.ask, .fail(.reset)), (.ask, .fail(.reset))),
        Trace(
            "two cannot wait at once", (.ask, .read), (.ask, .fail(.busy)), (.bytes("a"), .wait),
            (.readOver, deliver("a"))),
        Trace(
            "closing drops what comes and reads on to the end",
            (.bytes("a"), .wait), (.close, .read), (.bytes("b"), .wait), (.readOver, .read),
            (.ask, .fail(.closed)), (.end, .wait), (.ask, .fail(.closed))),
        Trace("closing wakes who waits", (.ask, .read), (.close, .fail(.closed))),
    ]

    @Test(arguments: traces)
    func `the inbox reads only while a reader waits`(trace: Trace) {
        var inbox = Inbox()
        for (index, step) in trace.steps.enumerated() {
            let action: Inbox.Action =
                switch step.0 {
                case .ask: inbox.startReceive()
                case .bytes(let text): inbox.noting(text)
                case .readOver: inbox.endRead()
                case .timeout: inbox.timeout()
                case .end: inbox.end(nil)
                case .fail: inbox.end(.reset)
                case .close: inbox.close()
                }
            #expect(action == step.1, "step \(index)")
        }
    }

    @Test func `TLS does not start after unencrypted bytes`() {
        var inbox = Inbox()
        #expect(inbox.obstacleToTLS == nil)
        inbox.receive(ByteBuffer(string: "a"))
        #expect(inbox.obstacleToTLS == .plaintextAfterStartTLS)
        _ = inbox.startReceive()
        #expect(inbox.obstacleToTLS == nil)
        _ = inbox.startReceive()
        #expect(inbox.obstacleToTLS == .busy)
        _ = inbox.end(nil)
        #expect(inbox.obstacleToTLS == .closedByPeer)
    }
}

extension Inbox {
    fileprivate mutating func noting(_ text: String) -> Action {
        receive(ByteBuffer(string: text))
        return .wait
    }
}
