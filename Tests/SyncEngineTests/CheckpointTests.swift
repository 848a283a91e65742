import MailStore
import Models
import SyncEngine
import SyncPlanner
import Synchronization
import Testing

/// A source that stops in the middle of a fetch, as if the process were about to be killed there.
private final class HaltingSource: MailSource {
    private let count: Int
    private let halt: Int
    private let delivered = Mutex(0)
    let listings = Mutex<[ClosedRange<UInt32>]>([])
    private let gate = Mutex<CheckedContinuation<Void, any Error>?>(nil)

    init(count: Int, haltAfter halt: Int) {
        self.count = count
        self.halt = halt
    }

    /// Lets the fetch fail.
    func breakOff() {
        gate.withLock { $0.take() }?.resume(throwing: SourceUnavailable(FakeMailSource.Trouble()))
    }
    var isHalted: Bool { gate.withLock { $0 != nil } }

    func mailboxes() -> [Mailbox] { [mailbox("INBOX", .inbox)] }

    func open(_ mailbox: Mailbox, since known: KnownMailbox?) -> SourceMailbox {
        SourceMailbox(uidValidity: 7, uidNext: UInt32(count + 1), exists: count)
    }

    func listing(of mailbox: Mailbox, uids: ClosedRange<UInt32>, detail: ListingDetail) -> MessageListing {
        let wanted = UInt32(1)...UInt32(count)
        listings.withLock { $0.append(uids.clamped(to: wanted)) }
        return MessageListing(uids.clamped(to: wanted).map { ListedMessage(uid: $0, size: 100) })
    }

    func fetch(
        _ messages: [ListedMessage], of mailbox: Mailbox, limit: Int,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws {
        for listed in messages {
            if delivered.withLock({ $0 }) == halt {
                try await withCheckedThrowingContinuation { more in gate.withLock { $0 = more } }
            }
            let bytes = mail("m\(listed.uid)", id: "m\(listed.uid)")
            try await deliver(RawMessage(listed: listed, bytes: bytes, isTruncated: false))
            delivered.withLock { $0 += 1 }
        }
    }
}

@Suite("Checkpoints of a first sync")
struct CheckpointTests {
    /// Waits for the condition, thirty seconds at most.
    private func eventually(_ condition: () throws -> Bool) async throws -> Bool {
        for _ in 0..<3_000 {
            if try condition() { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test(
        "a long first sync stores the newest messages at once, and the others in batches",
        arguments: [(120, 50), (3_000, 1_700)])
    func stored(_ halt: Int, _ least: Int) async throws {
        let world = try SyncWorld()
        let source = HaltingSource(count: 4_000, haltAfter: halt)
        let running = Task { try await world.sync(from: source) }
        #expect(try await eventually { source.isHalted })
        #expect(
            try await eventually { try world.store.sync.extent(of: work, mailbox: .inbox).count >= least })
        #expect(try world.list().last == "m4000@4000")
        // The newest are here before the rest is listed.
        #expect(source.listings.withLock { $0 } == [3_951...4_000, 1...4_000])
        source.breakOff()
        await #expect(throws: FakeMailSource.Trouble.self) { try await running.value }
        #expect(try world.store.sync.extent(of: work, mailbox: .inbox).count == halt)
    }
}
