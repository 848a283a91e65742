import NIOConcurrencyHelpers
import NIOCore

/// A TCP connection that is being made, so that it can be ended before it is open: by its task, or because
/// the network of this machine changed.
final class PendingDial: Sendable {
    struct Opened: Sendable {
        let channel: any Channel
        let inbound: NIOLoopBound<InboundHandler>
    }

    private struct State {
        /// The addresses that are tried now.
        var channels: [any Channel] = []
        var caller: CheckedContinuation<Opened, any Error>?
        /// Set once: no address is tried any more.
        var end: CodedFailure?
    }

    private let state = NIOLockedValueBox(State())

    /// What `connect` returns, or the reason why the dial was ended. It does not wait for a resolver that
    /// asks servers of a network that is gone.
    func result(of connect: @escaping @Sendable () async throws -> Opened) async throws -> Opened {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let end = state.withLockedValue { state in
                    if state.end == nil { state.caller = continuation }
                    return state.end
                }
                if let end { return continuation.resume(throwing: end) }
                Task {
                    do { self.settle(.success(try await connect())) } catch { self.settle(.failure(error)) }
                }
            }
        } onCancel: {
            _ = end(.cancelled)
        }
    }

    /// Throws once the dial was ended: the caller closes the channel.
    func add(_ channel: any Channel) throws {
        try state.withLockedValue { state in
            if let end = state.end { throw end }
            state.channels.append(channel)
        }
    }

    /// Whether there was something to end: not after the connection opened, failed or was ended.
    func end(_ code: TransportError.Code) -> Bool {
        let (caller, channels) = state.withLockedValue { state in
            defer { (state.caller, state.channels) = (nil, []) }
            guard state.end == nil else { return (state.caller, state.channels) }
            state.end = CodedFailure(code)
            return (state.caller, state.channels)
        }
        for channel in channels { channel.close(promise: nil) }
        caller?.resume(throwing: CodedFailure(code))
        return caller != nil
    }

    private func settle(_ result: Result<Opened, any Error>) {
        let caller = state.withLockedValue { state in
            defer { (state.caller, state.channels) = (nil, []) }
            return state.caller
        }
        if let caller { return caller.resume(with: result) }
        if case .success(let opened) = result { opened.channel.close(promise: nil) }
    }
}
