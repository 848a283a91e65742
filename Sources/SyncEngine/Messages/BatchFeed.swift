import MailStore
import Models
import Synchronization

/// Stores messages of one mailbox in three stages: they are collected, then parsed, then written, with each
/// stage working on another batch.
///
/// Each stage waits for the next one. So the caller waits when the store is slow, and memory holds at most
/// one batch per stage. Only one caller may add messages, one after the other.
final class BatchFeed: Sendable {
    /// A longer message is read without its attachments; these are fetched on request.
    static let messageLimit = 1_024 * 1_024
    /// The size of a batch for parsing.
    private static let gatheredMessages = 100
    private static let gatheredBytes = 256 * 1_024
    /// The size of a transaction: the most that is lost if the process is killed.
    private static let writtenMessages = 500
    private static let writtenBytes = 1_024 * 1_024
    /// The first batch is small, so that the newest mail is available at once.
    private static let firstMessages = 50

    private struct State {
        var gathered: [RawMessage] = []
        var bytes = 0
        var received = 0
        var parsing: Task<[Arrival], Never>?
        var parsed: [Arrival] = []
        var parsedBytes = 0
        var writing: Task<SyncOutcome, any Error>?
        var outcome = SyncOutcome()
        var isFirst = true
    }

    private let intake: MessageIntake
    private let mailbox: MailboxName
    private let uidValidity: UInt32
    private let knownOnly: Bool
    private let state = Mutex(State())

    init(_ context: SyncContext, mailbox: MailboxName, uidValidity: UInt32, knownOnly: Bool = false) {
        intake = MessageIntake(
            account: context.account, store: context.store, turn: context.turn, signatures: context.signatures
        )
        self.mailbox = mailbox
        self.uidValidity = uidValidity
        self.knownOnly = knownOnly
    }

    /// Returns the number of messages added so far.
    func add(_ raw: RawMessage) async throws -> Int {
        let (received, isFull) = state.withLock { state in
            state.gathered.append(raw)
            state.bytes += raw.bytes.count
            state.received += 1
            let most = state.isFirst ? Self.firstMessages : Self.gatheredMessages
            return (state.received, state.gathered.count >= most || state.bytes >= Self.gatheredBytes)
        }
        if isFull { try await parse() }
        return received
    }

    /// All messages are stored when it returns.
    func finish() async throws -> SyncOutcome {
        try await parse()
        try await takeParsed()
        try await write()
        try await settle()
        return state.withLock { $0.outcome }
    }

    private func parse() async throws {
        try await takeParsed()
        // If only headers were read, there is no signature to check.
        let (account, knownOnly) = (intake.account, knownOnly)
        let signatures = knownOnly ? nil : intake.signatures
        state.withLock { state in
            let messages = state.gathered
            guard !messages.isEmpty else { return }
            state.gathered = []
            state.bytes = 0
            state.parsing = Task.detached {
                messages.map {
                    Arrival(raw: $0, account: account, signatures: signatures, isHeader: knownOnly)
                }
            }
        }
    }

    private func takeParsed() async throws {
        guard let arrivals = await state.withLock({ $0.parsing.take() })?.value else { return }
        let isFull = state.withLock { state in
            state.parsed += arrivals
            state.parsedBytes += arrivals.reduce(0) { $0 + $1.bytes }
            return state.isFirst || state.parsed.count >= Self.writtenMessages
                || state.parsedBytes >= Self.writtenBytes
        }
        if isFull { try await write() }
    }

    private func write() async throws {
        try await settle()
        let (intake, mailbox, uidValidity, knownOnly) = (intake, mailbox, uidValidity, knownOnly)
        state.withLock { state in
            let arrivals = state.parsed
            guard !arrivals.isEmpty else { return }
            state.parsed = []
            state.parsedBytes = 0
            state.isFirst = false
            state.writing = Task.detached {
                try await intake.store(
                    arrivals, in: mailbox, uidValidity: uidValidity, knownOnly: knownOnly)
            }
        }
    }

    private func settle() async throws {
        guard let task = state.withLock({ $0.writing.take() }) else { return }
        let outcome = try await task.value
        state.withLock { $0.outcome = $0.outcome + outcome }
    }
}
