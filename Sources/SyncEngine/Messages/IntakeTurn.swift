import MailStore

/// Assigns ids and threads to the messages of an account, one batch at a time, from all connections.
actor IntakeTurn {
    func take(_ body: @Sendable () throws -> SyncOutcome) throws -> SyncOutcome { try body() }
}
