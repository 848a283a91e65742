import MailStore

/// The one place where the messages of an account get their ids and threads: batch by batch, whatever lane they come by.
actor IntakeTurn {
    func take(_ body: @Sendable () throws -> SyncOutcome) throws -> SyncOutcome { try body() }
}
