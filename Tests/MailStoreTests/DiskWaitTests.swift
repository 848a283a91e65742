import GRDB
import Models
import Synchronization
import Testing

@testable import MailStore

/// Which transactions wait for the disk: those that the accounts could not give again.
@Suite("Waits for the disk") struct DiskWaitTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
    }

    private var waits: Int { store.file.waits.load(ordering: .relaxed) }

    private func synchronous() throws -> Int? {
        try store.file.maintaining { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
    }

    @Test("storing new mail does not wait for the disk; storing a decision of opus does")
    func kinds() throws {
        try store.saveUsualMailboxes()
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1)]))
        try store.sync.noteSync(of: work, at: time(5))
        #expect(waits == 0)
        #expect(try store.list() == ["a@1"], "and it is there at once")
        try store.rules.noteTimers(["weekly"], of: work, at: time(5))
        #expect(waits == 1)
    }

    private struct Stopped: Error {}

    @Test("a failed transaction is rolled back, and the next one waits for the disk again")
    func full() throws {
        try store.saveUsualMailboxes()
        #expect(try synchronous() == 2)
        #expect(throws: (any Error).self) {
            try store.file.writingSoon { db in
                try db.execute(sql: "UPDATE mailbox SET role = NULL")
                throw Stopped()
            }
        }
        #expect(try synchronous() == 2)
        let roles = try store.file.reading {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM mailbox WHERE role IS NOT NULL")
        }
        #expect(roles != 0, "and nothing of it stays")
    }
}
