import IMAPProtocol
import Transport

/// The connections of one account. One caller at a time uses a connection; others wait in order for a free one.
///
/// Connections are opened when they are needed. Before the first successful login, only one is tried: a wrong password
/// is sent once, not five times, and all waiting and later callers get the refusal. A broken connection is dropped. A
/// connection that was idle for a while is checked before use.
public actor IMAPConnectionPool {
    /// The most connections of an account, whatever is configured. Servers count connections and lock accounts.
    public static let mostConnections = 5
    /// A connection that was idle for longer is checked with NOOP before use.
    static let trustedIdleTime = Duration.seconds(30)

    private struct Idle {
        var client: IMAPConnection
        var since: ContinuousClock.Instant
    }

    private enum Grant {
        case client(Idle)
        /// Permission to open another connection.
        case slot
    }

    private struct Waiter {
        var number: Int
        var continuation: CheckedContinuation<Grant, any Error>
    }

    private let connect: @Sendable () async throws -> IMAPConnection
    private let now: @Sendable () -> ContinuousClock.Instant
    private var limit: Int
    private var idle: [Idle] = []
    private var lent = 0
    private var opening = 0
    private var isProven = false
    private var waiters: [Waiter] = []
    private var lastNumber = 0
    /// Why the pool gives out no more connections.
    private var verdict: (any Error)?

    /// - Parameters:
    ///   - limit: The configured number of connections. The pool never opens more than ``mostConnections`` or, once it
    /// is known, the number in the server's profile.
    ///   - connect: Connects and logs in. It is called once for each connection, and not concurrently before the first
    /// successful login. It keeps the password, so that the password command runs once for each pool.
    public init(
        limit: Int = IMAPConnectionPool.mostConnections,
        connect: @escaping @Sendable () async throws -> IMAPConnection
    ) {
        self.init(limit: limit, now: { .now }, connect: connect)
    }

    init(
        limit: Int, now: @escaping @Sendable () -> ContinuousClock.Instant,
        connect: @escaping @Sendable () async throws -> IMAPConnection
    ) {
        self.limit = max(1, min(limit, Self.mostConnections))
        self.now = now
        self.connect = connect
    }

    /// Connections that are open or being opened.
    public var count: Int { idle.count + lent + opening }

    /// The number of waiting callers.
    public var waitingCount: Int { waiters.count }

    /// Runs `body` with a connection. Callers wait in the order of their calls.
    ///
    /// Any mailbox may be open. `body` must not use the connection after it returns.
    ///
    /// - Throws: The error of `body` or of connecting; ``IMAPClientError/loggedOut`` after ``close()``;
    ///   `CancellationError` while waiting.
    public func withConnection<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (IMAPConnection) async throws -> Result
    ) async throws -> Result {
        let client = try await acquire()
        do {
            let result = try await body(client)
            await release(client)
            return result
        } catch {
            await release(client)
            throw error
        }
    }

    /// Drops all connections without LOGOUT, which a dead server would not answer. Connections in use are dropped when
    /// they are returned.
    public func abandon() {
        failWaiters(IMAPClientError.loggedOut, forGood: true)
        idle = []
    }

    /// Logs out of all connections; those in use when they are returned. Waiting callers get
    /// ``IMAPClientError/loggedOut``.
    public func close() async {
        failWaiters(IMAPClientError.loggedOut, forGood: true)
        let clients = idle.map(\.client)
        idle = []
        await withTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { await client.logout() } }
        }
    }
}

// MARK: - Giving out connections

extension IMAPConnectionPool {
    private func acquire() async throws -> IMAPConnection {
        while true {
            switch try await grant() {
            case .client(let idle):
                if await isUsable(idle) { return idle.client }
                lent -= 1
                serve()
            case .slot:
                if let client = try await open() { return client }
            }
        }
    }

    /// A free connection, or permission to open one, when it is this caller's turn.
    private func grant() async throws -> Grant {
        try Task.checkCancellation()
        if let verdict { throw verdict }
        if waiters.isEmpty, let grant = nextGrant() { return grant }
        lastNumber += 1
        let number = lastNumber
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiters.append(Waiter(number: number, continuation: continuation))
                // It was cancelled before it was in the queue, so no other code would remove it.
                if Task.isCancelled { leave(number) }
            }
        } onCancel: {
            Task { await self.leave(number) }
        }
    }

    private func leave(_ number: Int) {
        guard let place = waiters.firstIndex(where: { $0.number == number }) else { return }
        waiters.remove(at: place).continuation.resume(throwing: CancellationError())
    }

    private func nextGrant() -> Grant? {
        if let free = idle.popLast() {
            lent += 1
            return .client(free)
        }
        guard count < (isProven ? limit : 1) else { return nil }
        opening += 1
        return .slot
    }

    private func serve() {
        while verdict == nil, !waiters.isEmpty, let grant = nextGrant() {
            waiters.removeFirst().continuation.resume(returning: grant)
        }
    }

    private func release(_ client: IMAPConnection) async {
        let isAlive = await client.isAlive
        lent -= 1
        if verdict != nil {
            if isAlive { await client.logout() }
            return
        }
        if isAlive { idle.append(Idle(client: client, since: now())) }
        serve()
    }

    private func isUsable(_ idle: Idle) async -> Bool {
        guard await idle.client.isAlive else { return false }
        guard now() - idle.since > Self.trustedIdleTime else { return true }
        return (try? await idle.client.noop()) != nil
    }
}

// MARK: - Opening

extension IMAPConnectionPool {
    /// nil: the server accepts no more connections, so the caller waits for one that is in use.
    private func open() async throws -> IMAPConnection? {
        let client: IMAPConnection
        do {
            client = try await connect()
        } catch {
            opening -= 1
            try answer(error)
            return nil
        }
        let most = await client.profile.maximumConnections
        opening -= 1
        if let verdict {
            await client.logout()
            throw verdict
        }
        limit = max(1, min(limit, most))
        isProven = true
        lent += 1
        serve()
        return client
    }

    /// If a login worked for one connection and fails for the next, there are too many.
    private func answer(_ error: any Error) throws {
        if Self.isCancellation(error) {
            serve()
            throw error
        }
        guard idle.count + lent == 0 else {
            limit = max(1, count)
            serve()
            return
        }
        isProven = false
        failWaiters(error, forGood: (error as? IMAPClientError)?.isFinal ?? true)
        throw error
    }

    private func failWaiters(_ error: any Error, forGood: Bool) {
        if forGood { verdict = verdict ?? error }
        let failed = waiters
        waiters = []
        for waiter in failed { waiter.continuation.resume(throwing: error) }
    }

    private static func isCancellation(_ error: any Error) -> Bool {
        if error is CancellationError { return true }
        guard case .transport(let failure) = error as? IMAPClientError else { return false }
        return failure.code == .cancelled
    }
}
