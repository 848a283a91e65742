import MailStore
import Models

/// Collects messages into batches and stores each while the next one arrives.
actor BatchFeed {
    private let intake: MessageIntake
    private let store: MailStore
    private let mailbox: MailboxName
    private let uidValidity: UInt32
    private let knownOnly: Bool
    private var waiting: [RawMessage] = []
    private var bytes = 0
    private var received = 0
    private var outcome = SyncOutcome()
    private var running: Task<SyncOutcome, any Error>?

    init(
        intake: MessageIntake, store: MailStore, mailbox: MailboxName, uidValidity: UInt32,
        knownOnly: Bool = false
    ) {
        self.intake = intake
        self.store = store
        self.mailbox = mailbox
        self.uidValidity = uidValidity
        self.knownOnly = knownOnly
    }

    func add(_ raw: RawMessage) async throws -> Int {
        waiting.append(raw)
        bytes += raw.bytes.count
        received += 1
        if waiting.count >= MailboxSync.batchMessages || bytes >= MailboxSync.batchBytes { try await flush() }
        return received
    }

    func finish() async throws -> SyncOutcome {
        try await flush()
        try await settle()
        return outcome
    }

    private func flush() async throws {
        guard !waiting.isEmpty else { return }
        let messages = waiting
        waiting = []
        bytes = 0
        try await settle()
        let (intake, store, mailbox, uidValidity, knownOnly) = (
            intake, store, mailbox, uidValidity, knownOnly
        )
        running = Task.detached {
            let batch = try intake.batch(
                of: messages, mailbox: mailbox, uidValidity: uidValidity, knownOnly: knownOnly)
            return try store.apply(batch)
        }
    }

    private func settle() async throws {
        guard let task = running else { return }
        running = nil
        outcome = outcome + (try await task.value)
    }
}
