public import NIOCore

/// Reads the first bytes of a server that speaks first.
extension Connection {
    /// After this silence, the server may be waiting for a TLS handshake.
    private static let quietStart = Duration.seconds(2)
    /// The timeouts of the check for TLS. Together with the wait, it takes less than five seconds.
    private static let look = Timeouts(connect: .seconds(1), tls: .milliseconds(1_500))

    /// Like ``receive(timeout:)``, for the greeting. If the port requires TLS from the first byte, a plaintext
    /// connection fails within a few seconds (`.speaksTLS`); if the server is only slow, the client waits.
    ///
    /// The handshake is tried on a separate connection, because on this one it would disturb the conversation.
    public func receiveGreeting(timeout: Duration? = nil) async throws(TransportError) -> ByteBuffer? {
        let limit = timeout ?? timeouts.receive
        guard !isEncrypted, limit > Self.quietStart else { return try await receive(timeout: limit) }
        let end = ContinuousClock.now + limit
        do {
            return try await receive(timeout: Self.quietStart)
        } catch {
            guard error.code == .timedOut(.receive) else { throw error }
        }
        guard await !speaksTLS() else {
            await close()
            throw TransportError(.speaksTLS, endpoint: endpoint)
        }
        return try await receive(timeout: max(.zero, end - .now))
    }

    /// A server that reads the TLS handshake as bad commands may close the connection before its greeting arrives. This
    /// checks on another connection whether it greets in plaintext.
    func betterReason(than error: TransportError) async -> TransportError {
        let isMereEnd =
            switch error.code {
            case .tlsFailed(let reason): FailureReason.isMereEnd(reason)
            case .reset, .closedByPeer: true
            case .notTLS, .speaksTLS, .untrustedCertificate, .unknownHost, .refused, .unreachable, .timedOut,
                .networkChanged,
                .plaintextAfterStartTLS, .badCAFile, .notThisMachine, .cancelled, .closed, .busy, .failed:
                false
            }
        guard isMereEnd, await greets() else { return error }
        return TransportError(.notTLS, endpoint: endpoint)
    }

    /// Whether the server sends plaintext without being asked.
    private func greets() async -> Bool {
        guard
            let other = try? await Connection.open(
                endpoint, security: .plaintext, timeouts: Self.look, logger: logger)
        else { return false }
        let first = try? await other.receive(timeout: Self.look.tls)
        await other.close()
        // `* OK` and `220` are text, not TLS records.
        return first?.readableBytesView.first.map { (0x20...0x7E).contains($0) } ?? false
    }

    /// Whether the server answers a handshake. No certificate is accepted, and nothing is sent afterwards.
    private func speaksTLS() async -> Bool {
        let nobody = TLSPolicy(serverName: endpoint.host, pin: String(repeating: "0", count: 64))
        do {
            let other = try await Connection.open(
                endpoint, security: .tls(nobody), timeouts: Self.look, logger: logger)
            await other.close()
            return true
        } catch {
            switch error.code {
            case .untrustedCertificate: return true
            case .tlsFailed(let reason): return !FailureReason.isMereEnd(reason)
            case .notTLS, .speaksTLS, .unknownHost, .refused, .unreachable, .timedOut, .closedByPeer, .reset,
                .networkChanged,
                .plaintextAfterStartTLS, .badCAFile, .notThisMachine, .cancelled, .closed, .busy, .failed:
                return false
            }
        }
    }
}
