import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// Makes the TCP connection: every address of the name is tried, the first that answers wins.
enum Dial {
    struct Opened: Sendable {
        let channel: any Channel
        let inbound: NIOLoopBound<InboundHandler>
    }

    static func connect(_ endpoint: Endpoint, timeout: TimeAmount) async throws(CodedFailure) -> Opened {
        guard (1...65_535).contains(endpoint.port), !endpoint.host.isEmpty else {
            throw CodedFailure(.unknownHost)
        }
        let attempts = NIOLockedValueBox(Attempts())
        do {
            return try await withTaskCancellationHandler {
                try await bootstrap(timeout: timeout)
                    .connect(host: endpoint.host, port: endpoint.port) { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try attempts.withLockedValue { try $0.add(channel) }
                            let handler = InboundHandler()
                            try channel.pipeline.syncOperations.addHandler(handler)
                            let inbound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
                            return Opened(channel: channel, inbound: inbound)
                        }
                    }
            } onCancel: {
                attempts.withLockedValue { $0.cancel() }
            }
        } catch {
            throw CodedFailure(FailureReason.code(for: error, policy: nil, peer: nil))
        }
    }

    private static func bootstrap(timeout: TimeAmount) -> ClientBootstrap {
        ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(timeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.autoRead, value: false)
            .channelOption(.maxMessagesPerRead, value: 1)
    }

    /// The channels that are being tried, so that a cancelled task can stop them all.
    private struct Attempts {
        private var channels: [any Channel] = []
        private var isCancelled = false

        mutating func add(_ channel: any Channel) throws {
            if isCancelled { throw CancellationError() }
            channels.append(channel)
        }

        mutating func cancel() {
            isCancelled = true
            for channel in channels { channel.close(promise: nil) }
            channels = []
        }
    }
}
