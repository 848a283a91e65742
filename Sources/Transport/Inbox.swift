import NIOCore

/// Received bytes that no caller has read: at most one read ahead, so that a fast peer cannot fill the memory.
///
/// A pure value. The channel handler reports events and performs the returned ``Action``. Reading the socket is an
/// action too, and happens only while a caller waits.
struct Inbox {
    enum Action: Equatable {
        case read
        case deliver(ByteBuffer)
        /// The peer has closed its side.
        case finish
        case fail(TransportError.Code)
        case wait
    }

    enum State: Equatable {
        /// Valid transitions: `.waiting`, `.draining`, `.ended`.
        case idle
        /// A caller waits for bytes. Valid transitions: `.idle`, `.draining`, `.ended`.
        case waiting
        /// This side is closing; received bytes are dropped. Valid transitions: `.ended`.
        case draining
        /// No more bytes will come; nil: a proper end. Final.
        case ended(TransportError.Code?)
    }

    private(set) var state = State.idle
    private var buffer = ByteBuffer()

    var isEmpty: Bool { buffer.readableBytes == 0 }

    /// Why the connection ended, unless it ended properly.
    var failure: TransportError.Code? {
        guard case .ended(let code) = state else { return nil }
        return code
    }

    /// Why TLS cannot start now; nil: it can.
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

    /// A read of the socket has finished.
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

    /// The caller stopped waiting. Bytes that arrive now are kept for the next one.
    mutating func timeout() -> Action {
        guard state == .waiting else { return .wait }
        state = .idle
        return .fail(.timedOut(.receive))
    }

    /// The connection ended, with a failure or properly. The first reason is kept.
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
