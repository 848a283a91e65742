import NIOCore

/// What came in and was not read yet: at most one read ahead, so a fast peer cannot fill the memory.
///
/// A pure value. The channel handler reports events and performs the ``Action`` it gets back; a read from
/// the socket is itself an action, and happens only while a caller waits.
struct Inbox {
    enum Action: Equatable {
        case read
        case deliver(ByteBuffer)
        /// The peer has said all it wanted to say.
        case finish
        case fail(TransportError.Code)
        case wait
    }

    enum State: Equatable {
        /// Valid transitions: `.waiting`, `.draining`, `.ended`.
        case idle
        /// A caller wants bytes. Valid transitions: `.idle`, `.draining`, `.ended`.
        case waiting
        /// This side is closing: what comes is dropped. Valid transitions: `.ended`.
        case draining
        /// Nothing more will come; nil is an orderly end. Final.
        case ended(TransportError.Code?)
    }

    private(set) var state = State.idle
    private var buffer = ByteBuffer()

    var isEmpty: Bool { buffer.readableBytes == 0 }

    /// Why the connection ended, when it did not end in order.
    var failure: TransportError.Code? {
        guard case .ended(let code) = state else { return nil }
        return code
    }

    /// What forbids to put TLS under this connection now; nil when nothing does.
    var obstacleToTLS: TransportError.Code? {
        switch state {
        case .idle: isEmpty ? nil : .plaintextAfterStartTLS
        case .waiting: .busy
        case .draining: .closed
        case .ended(let code): code ?? .closedByPeer
        }
    }

    mutating func startReceive() -> Action {
        switch state {
        case .waiting: return .fail(.busy)
        case .draining: return .fail(.closed)
        case .idle, .ended: break
        }
        if !isEmpty { return .deliver(takeAll()) }
        guard case .ended(let code) = state else {
            state = .waiting
            return .read
        }
        return code.map(Action.fail) ?? .finish
    }

    mutating func receive(_ bytes: ByteBuffer) {
        guard state != .draining else { return }
        var bytes = bytes
        if isEmpty { buffer = bytes } else { buffer.writeBuffer(&bytes) }
    }

    /// One read of the socket is over.
    mutating func endRead() -> Action {
        switch state {
        case .waiting where !isEmpty:
            state = .idle
            return .deliver(takeAll())
        case .waiting, .draining:
            return .read
        case .idle, .ended:
            return .wait
        }
    }

    /// No caller waits any longer; bytes that come now are kept for the next one.
    mutating func timeout() -> Action {
        guard state == .waiting else { return .wait }
        state = .idle
        return .fail(.timedOut(.receive))
    }

    /// The connection ended: with a failure, or in order. The first reason stays.
    mutating func end(_ code: TransportError.Code?) -> Action {
        let before = state
        switch before {
        case .ended:
            return .wait
        case .draining:
            state = .ended(.closed)
            return .wait
        case .idle, .waiting:
            state = .ended(code)
        }
        guard before == .waiting else { return .wait }
        if !isEmpty { return .deliver(takeAll()) }
        return code.map(Action.fail) ?? .finish
    }

    /// This side closes the connection.
    mutating func close() -> Action {
        let before = state
        if case .ended = before { return .wait }
        state = .draining
        buffer = ByteBuffer()
        return before == .waiting ? .fail(.closed) : .read
    }

    private mutating func takeAll() -> ByteBuffer {
        defer { buffer = ByteBuffer() }
        return buffer
    }
}
