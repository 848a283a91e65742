import IMAPProtocol

/// The state of the session that a command requires.
enum SessionCondition {
    case none
    case authenticated
    /// A mailbox is open.
    case selected
}

extension IMAPConnection {
    /// Runs `work` while no other call uses the connection.
    ///
    /// First sends the commands that are still due, unless `work` sends them itself (`introducing` is false).
    func turn<Value: Sendable>(
        _ condition: SessionCondition, introducing: Bool = true,
        _ work: @Sendable (isolated IMAPConnection) async throws(IMAPClientError) -> Value
    ) async throws(IMAPClientError) -> Value {
        try await takeTurn(condition, introducing: introducing)
        defer { endTurn() }
        return try await work(self)
    }

    /// Like ``turn(_:introducing:_:)``, for work in several calls. If it throws, the caller must not end the turn.
    func takeTurn(
        _ condition: SessionCondition, introducing: Bool = true
    ) async throws(IMAPClientError) {
        if !turns.begin() {
            await withCheckedContinuation { turns.wait($0) }
        }
        do throws(IMAPClientError) {
            if let failure { throw failure }
            if introducing { _ = try await exchange(takeIntroduction()) }
            try require(condition)
        } catch {
            endTurn()
            throw error
        }
    }

    func endTurn() { turns.end() }

    private func require(_ condition: SessionCondition) throws(IMAPClientError) {
        do {
            switch condition {
            case .none: break
            case .authenticated: try machine.requireAuthenticated()
            case .selected: try machine.requireSelected()
            }
        } catch {
            throw IMAPClientError(error)
        }
    }

    func require(_ capability: Capability) throws(IMAPClientError) {
        if let failure { throw failure }
        guard capabilities.contains(capability) else { throw .missingCapability(capability) }
    }
}

// MARK: - Identification

extension IMAPConnection {
    static let ownIdentity = [
        IDField(name: "name", value: "opus"), IDField(name: "version", value: "0.1"),
        IDField(name: "vendor", value: "Magnum Opus"),
    ]

    /// CAPABILITY and ID, if they have not been sent yet. They count as sent from now on.
    func takeIntroduction() -> [Command] {
        guard owesIntroduction else { return [] }
        owesIntroduction = false
        return capabilities.contains(.id) ? [.capability, .id(Self.ownIdentity)] : [.capability]
    }
}

// MARK: - Session commands

extension IMAPConnection {
    public func noop() async throws(IMAPClientError) {
        try await takeTurn(.none)
        defer { endTurn() }
        _ = try await perform(.noop)
    }

    /// Logs out and closes. It never fails; afterwards the connection has ended.
    public func logout() async {
        do {
            try await takeTurn(.none, introducing: false)
        } catch {
            return
        }
        defer { endTurn() }
        machine.startLogout()
        patience = .seconds(5)
        _ = try? await exchange(.logout)
        _ = await fail(.loggedOut)
    }
}
