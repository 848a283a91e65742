import IMAPProtocol

/// The state that a command needs before it can be sent.
enum SessionCondition {
    case none
    case authenticated
    /// A mailbox is open.
    case selected
}

extension IMAPConnection {
    /// Runs `work` while no other call is on the wire.
    ///
    /// What is owed is sent first, unless `work` sends it with its own commands (`introducing` is false).
    func turn<Value: Sendable>(
        _ condition: SessionCondition, introducing: Bool = true,
        _ work: @Sendable (isolated IMAPConnection) async throws(IMAPClientError) -> Value
    ) async throws(IMAPClientError) -> Value {
        try await takeTurn(condition, introducing: introducing)
        defer { endTurn() }
        return try await work(self)
    }

    /// As ``turn(_:introducing:_:)`` for work in several calls; when it throws, the caller must not end the turn.
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

// MARK: - Who we are

extension IMAPConnection {
    static let ownIdentity = [
        IDField(name: "name", value: "opus"), IDField(name: "version", value: "0.1"),
        IDField(name: "vendor", value: "Magnum Opus"),
    ]

    /// CAPABILITY and ID, where they are still to be sent; from now on they are not.
    func takeIntroduction() -> [Command] {
        guard owesIntroduction else { return [] }
        owesIntroduction = false
        return capabilities.contains(.id) ? [.capability, .id(Self.ownIdentity)] : [.capability]
    }
}

// MARK: - Commands on the session itself

extension IMAPConnection {
    public func noop() async throws(IMAPClientError) {
        try await takeTurn(.none)
        defer { endTurn() }
        _ = try await perform(.noop)
    }

    /// Says goodbye and closes. It never fails: whatever happens, the connection is over.
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
