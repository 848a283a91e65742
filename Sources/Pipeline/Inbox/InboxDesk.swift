public import Models
import Synchronization

/// A message to the session about its orders.
public enum InboxNews: Sendable {
    /// The order was queued.
    case booked(Int)
    /// The order was not executed, with the reason: its items come back.
    case refused(Int, String)
    /// The order was undone; with the reason if a part of its result stays.
    case undone(Int, stays: String?)
    /// The order could not be undone, with the reason.
    case stuck(Int, String)
    /// The due steps were delivered; with the failed ones.
    case delivered(failures: [InboxFailure])
    /// Nothing was done with these messages: another program moved or deleted them.
    case departed([InboxFailure])
    /// An account cannot be reached, with the reason: its steps wait in the journal.
    case offline(String)
    /// Another command has locked the workspace: orders wait for it.
    case locked
}

/// A step that failed when it was delivered.
public struct InboxFailure: Hashable, Sendable {
    public var reason: String
    public var message: EmailID?
    /// The order that stays without this step; nil: opus tries the step again, or it is not of this session.
    public var order: Int?

    public init(reason: String, message: EmailID? = nil, order: Int? = nil) {
        self.reason = reason
        self.message = message
        self.order = order
    }
}

/// Executes the orders of a session in their order, while the user decides about the next items.
///
/// Queuing and delivering are separate tasks, so a slow server does not delay the queuing of orders. An undo
/// waits until nothing is being delivered, so that it knows what has happened. The workspace is locked only
/// while there is work.
public final class InboxDesk: Sendable {
    enum Request: Sendable {
        case order(InboxOrder)
        case undo(Int)
    }

    private let inbox: Inbox
    private let lock: WorkspaceLock
    private let tell: @Sendable (InboxNews) -> Void
    private let requests: AsyncStream<Request>
    private let requested: AsyncStream<Request>.Continuation
    private let deliveries: AsyncStream<Void>
    private let due: AsyncStream<Void>.Continuation
    private let turn = InboxTurn()
    private let state = Mutex(State())

    private struct State {
        var bookings: [Int: Inbox.Booking] = [:]
        /// Accounts with undelivered steps.
        var open: Set<AccountID> = []
        var run: RunID?
        var pending = 0
        var isDelivering = false
        /// Messages whose undo waits for the account.
        var unsettled: Set<EmailID> = []
    }

    init(_ inbox: Inbox, lock: WorkspaceLock, tell: @escaping @Sendable (InboxNews) -> Void) {
        self.inbox = inbox
        self.lock = lock
        self.tell = tell
        (requests, requested) = AsyncStream.makeStream()
        (deliveries, due) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The run of this session; nil: nothing was queued.
    public var run: RunID? { state.withLock(\.run) }
    /// The number of orders that are not in the journal yet.
    public var pending: Int { state.withLock(\.pending) }
    /// Whether steps still wait for an account.
    public var isOpen: Bool { state.withLock { !$0.open.isEmpty || $0.pending > 0 || $0.isDelivering } }

    public func submit(_ order: InboxOrder) { request(.order(order)) }

    public func undo(_ number: Int) { request(.undo(number)) }

    /// Tries again to reach the accounts with undelivered steps.
    public func retry() { due.yield() }

    /// No more orders follow: ``work()`` ends after the last one.
    public func finish() { requested.finish() }

    private func request(_ request: Request) {
        state.withLock { $0.pending += 1 }
        requested.yield(request)
    }

    /// Works until ``finish()``. All orders together are one run.
    public func work() async {
        inbox.whole.begin(as: .inbox)
        defer { inbox.whole.end() }
        await withTaskGroup { group in
            group.addTask { await self.book() }
            group.addTask { await self.deliver() }
        }
    }

    // MARK: Queuing

    private func book() async {
        for await request in requests {
            switch request {
            case .order(let order): await book(order)
            case .undo(let number): await undo(number)
            }
            state.withLock { $0.pending -= 1 }
            due.yield()
        }
        due.finish()
    }

    private func book(_ order: InboxOrder) async {
        var order = order
        var booking = Inbox.Booking()
        booking.messages = Set(order.items.flatMap(\.messages))
        do {
            try requireSettled(booking.messages)
            let departed = try inbox.takeDeparted(from: &order)
            if departed.isEmpty || !order.items.isEmpty {
                try await locked { try await inbox.book(order, &booking) }
            }
            note(booking, order.number)
            tell(.booked(order.number))
            if !departed.isEmpty { tell(.departed(departed)) }
        } catch {
            // All or nothing: if a later item fails, the queued steps of the first items are undone.
            if !booking.isEmpty {
                note(booking, order.number)
                await takeBack(booking, order.number, isQuiet: true)
            }
            tell(.refused(order.number, Self.words(error)))
        }
    }

    private func requireSettled(_ messages: Set<EmailID>) throws {
        guard state.withLock({ !$0.unsettled.isDisjoint(with: messages) }) else { return }
        throw Problem(
            "unsettled", exit: .temporary,
            message: "the undo of this message waits for its account, which cannot be reached")
    }

    private func note(_ booking: Inbox.Booking, _ number: Int) {
        state.withLock {
            $0.bookings[number] = booking
            $0.open.formUnion(booking.accounts)
            $0.run = $0.run ?? booking.run
        }
    }

    private func undo(_ number: Int) async {
        // The order was never executed, so there is nothing to undo.
        guard let booking = state.withLock({ $0.bookings[number] }) else {
            return tell(.undone(number, stays: nil))
        }
        await takeBack(booking, number, isQuiet: false)
    }

    /// Undoes the order when nothing is being delivered.
    private func takeBack(_ booking: Inbox.Booking, _ number: Int, isQuiet: Bool) async {
        await turn.take()
        do {
            let (needsAccount, stays) = try await locked { try await inbox.takeBack(booking) }
            state.withLock {
                $0.bookings[number] = nil
                $0.open.formUnion(booking.accounts)
            }
            // A message that is being moved back has no place yet: no order may use it until the move is
            // done.
            if needsAccount {
                state.withLock { $0.unsettled.formUnion(booking.messages) }
                for account in takeOpen() { await deliver(account) }
                state.withLock { $0.isDelivering = false }
            }
            if !isQuiet { tell(.undone(number, stays: stays)) }
        } catch {
            tell(.stuck(number, Self.words(error)))
        }
        await turn.give()
    }

    // MARK: Delivery

    private func deliver() async {
        for await _ in deliveries {
            let accounts = takeOpen()
            guard !accounts.isEmpty else { continue }
            await turn.take()
            for account in accounts { await deliver(account) }
            await turn.give()
            state.withLock { $0.isDelivering = false }
        }
    }

    private func deliver(_ account: AccountID) async {
        do {
            let report = try await locked { try await inbox.deliver(account) }
            if report.drain.halt != nil {
                _ = state.withLock { $0.open.insert(account) }
                tell(.offline(report.drain.interruption ?? "the account cannot be reached"))
            } else {
                state.withLock { if $0.open.isEmpty { $0.unsettled = [] } }
                tell(.delivered(failures: try failures(in: report.drain)))
            }
        } catch {
            _ = state.withLock { $0.open.insert(account) }
            tell(.offline(Self.words(error)))
        }
    }

    /// The failed steps with their orders.
    private func failures(in report: DrainReport) throws -> [InboxFailure] {
        guard !report.failures.isEmpty else { return [] }
        var orders: [Int64: Int] = [:]
        for (number, booking) in state.withLock(\.bookings) {
            for row in try inbox.rows(of: booking) { orders[row] = number }
        }
        let waiting = Set(report.waiting.compactMap(\.id))
        return report.failures.map { step in
            InboxFailure(
                reason: step.reason ?? "a step waits", message: step.message,
                order: step.id.flatMap { waiting.contains($0) ? nil : orders[$0] })
        }
    }

    private func takeOpen() -> [AccountID] {
        state.withLock { state in
            let open = state.open.sorted()
            state.open = []
            state.isDelivering = !open.isEmpty
            return open
        }
    }

    /// The delay before the next try if another command has locked the workspace.
    private static let pause = Duration.milliseconds(200)

    /// Runs `body` while the workspace is locked; the last user of the lock releases it.
    private func locked<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        while try await !turn.enter(lock) {
            tell(.locked)
            try await Task.sleep(for: Self.pause)
        }
        do {
            let result = try await body()
            await turn.leave()
            return result
        } catch {
            await turn.leave()
            throw error
        }
    }

    private static func words(_ error: any Error) -> String {
        if let failure = error as? DiagnosticFailure {
            return "the rules have \(counted(failure.diagnostics.count, "finding")) (opus rules check)"
        }
        let problem = Problem(error)
        return problem.message + (problem.next.first.map { " (\($0))" } ?? "")
    }
}

/// Serialises access: one drain or one undo at a time, all under one lock of the workspace.
actor InboxTurn {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var users = 0
    private var lock: StateLock?

    func take() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func give() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }

    /// Locks the workspace if needed, for one more user; false: another command has locked it.
    func enter(_ workspace: WorkspaceLock) throws -> Bool {
        if users == 0, !workspace.isHeld {
            do throws(Problem) {
                lock = try StateLock.take(path: workspace.path, isBrief: true)
            } catch {
                guard error.code == "locked" else { throw error }
                return false
            }
        }
        users += 1
        return true
    }

    /// The last user releases the lock.
    func leave() {
        users -= 1
        if users == 0 { lock = nil }
    }
}
