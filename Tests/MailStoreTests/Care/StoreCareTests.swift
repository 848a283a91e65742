import Foundation
import GRDB
import Models
import Testing

@testable import MailStore

/// The store as a file: what it holds and where that comes from, readers beside a writer, checks, and a rebuild.
@Suite struct StoreCareTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    @Test("every table of the store is listed for the rebuild")
    func everyTable() throws {
        let store = try folder.open()
        let tables = try store.file.reading {
            try String.fetchSet(
                $0,
                sql: """
                    SELECT name FROM pragma_table_list
                    WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite_%'
                    """)
        }
        #expect(Set(StoreTable.all.map(\.name)) == tables)
        #expect(StoreTable.all.count == tables.count)
    }

    @Test("a store opened for reading does not wait for a writer, and can still write")
    func readers() throws {
        try folder.open().close()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: folder.path, configuration: configuration)
        try other.inDatabase { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        let start = ContinuousClock.now
        let reader = try Store.open(path: folder.path, .reading)
        #expect(try reader.rules.timers(of: work).isEmpty)
        #expect(ContinuousClock.now - start < .seconds(4), "a writer is waited for five seconds")
        try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
        try reader.rules.noteTimers(["weekly"], of: work, at: time(5))
        #expect(try reader.rules.timers(of: work) == ["weekly": time(5)])
    }

    @Test("a new store and one of an older version are migrated, even when opened for reading")
    func readingOld() throws {
        let first = try Store.open(path: folder.path, .reading)
        try first.rules.noteTimers(["a"], of: work, at: time(1))
        first.close()
        #expect(try Store.open(path: folder.path, .reading).verify() == [])
    }

    @Test("a store of every earlier version is migrated with its mail")
    func everyVersion() throws {
        for version in 1..<Schema.migrations.count {
            let folder = try StoreFolder()
            let queue = try DatabaseQueue(path: folder.path, configuration: StoreFile.plainConfiguration())
            try queue.inDatabase { db in
                try db.execute(sql: Schema.migrations[0] + Self.firstMail)
                for migration in Schema.migrations[1..<version] { try db.execute(sql: migration) }
                try db.execute(
                    sql: """
                        PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(version)
                        """)
            }
            try queue.close()
            let store = try folder.open()
            #expect(try store.verify() == [], "version \(version)")
            #expect(try store.messages.detail(of: id("abcd"))?.text == "Grüße", "version \(version)")
            #expect(
                try store.index.search([SearchTerm(.any, "grüße")], account: nil, limit: 9) == [id("abcd")])
        }
    }

    private static let firstMail = """
        INSERT INTO account (id, name) VALUES (1, 'work');
        INSERT INTO mailbox (id, account, name, display_name, role)
            VALUES (1, 1, x'494e424f58', 'INBOX', 'inbox');
        INSERT INTO message (id, account, email_id, fingerprint, thread, subject, addresses, received, size,
                attachments, is_truncated)
            VALUES (1, 1, 'abcd', 'print', 'abcd', 'Subject', '', 5, 9, '', 0);
        INSERT INTO content (message, headers, text) VALUES (1, CAST('Subject: Subject' AS BLOB), 'Grüße');
        INSERT INTO search (rowid, subject, addresses, text) VALUES (1, 'Subject', '', 'Grüße');
        INSERT INTO placement (mailbox, uid, message, flags, keywords) VALUES (1, 1, 1, 0, '');
        """

    @Test("headers and texts are unpacked unchanged, and packed only if this makes them shorter")
    func packed() {
        let long = String(
            repeating: "Received: from mail.example by mx.example\r\nGrüße an alle. ", count: 40)
        for text in ["", "a", "\u{0}", long, String(repeating: "x", count: 95)] {
            let packed = PackedContent.pack(text)
            let unpacked = packed.withUnsafeBytes { PackedContent.unpack($0) { Array($0) } }
            #expect(unpacked == Array(text.utf8))
            #expect(packed.withUnsafeBytes { PackedContent.length(of: $0) } == text.utf8.count)
        }
        #expect(PackedContent.pack(long).count * 4 < long.utf8.count)
        var random = SystemRandomNumberGenerator()
        let noise = (0..<4_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(PackedContent.pack(noise).count == noise.count + 1)
    }

    @Test("damaged packed content is an error, and is never read past its end")
    func damagedContent() {
        let whole = PackedContent.pack(
            String(repeating: "List-Unsubscribe: <https://x.example/> ", count: 20))
        for cut in 0..<whole.count {
            let part = Array(whole[..<cut])
            #expect(part.withUnsafeBytes { PackedContent.unpack($0) { $0.count } } == nil)
        }
        var longer = whole
        longer[4] = 0x7F
        #expect(longer.withUnsafeBytes { PackedContent.unpack($0) { $0.count } } == nil)
        #expect([UInt8]([9, 1, 2]).withUnsafeBytes { PackedContent.unpack($0) { $0.count } } == nil)
    }

    @Test("a check names each kind of damage, and repairs none")
    func verification() throws {
        let breaks = [
            "missing-content": "DELETE FROM packed_content WHERE message = 1",
            "lost-message": "DELETE FROM placement WHERE message = 1",
            "index-differs": "UPDATE message SET subject = 'another' WHERE id = 1",
            "schema-differs": "DROP INDEX message_thread",
            "dangling-reference": "UPDATE placement SET message = 99",
        ]
        for (code, sql) in breaks {
            let folder = try StoreFolder()
            let store = try folder.open()
            try store.saveUsualMailboxes()
            _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1, subject: "one")]))
            #expect(try store.verify() == [])
            try store.file.maintaining {
                try $0.execute(sql: "PRAGMA foreign_keys = OFF; \(sql); PRAGMA foreign_keys = ON")
            }
            #expect(try store.verify().map(\.code).contains(code), "\(code)")
            #expect(try store.verify().map(\.code).contains(code), "\(code)")
        }
    }

    @Test(
        "a rebuilt store keeps numbers, ids, timers and messages that the account no longer has")
    func rebuild() throws {
        let old = try folder.open()
        try old.saveUsualMailboxes()
        let added = ["gone", "a", "b"].enumerated().map {
            newMessage($1, uid: UInt32($0 + 1), text: "word \($1)")
        }
        _ = try old.sync.apply(batch(added: added))
        _ = try old.sync.apply(batch { $0.removed = [1] })
        try old.rules.noteTimers(["weekly"], of: work, at: time(5))
        let numbers = try numbers(old)
        let rebuild = try StoreRebuild(at: folder.path + "-new", replacing: old, accounts: [work])
        #expect(!rebuild.isResumed)
        // They come in another order, one of them under another id, and with a new one.
        var b = newMessage("b", uid: 3, text: "word b")
        b.id = try #require(
            try rebuild.store.sync.earlierID(fingerprint: "print-b", header: "x", body: nil, account: work))
        #expect(b.id == id("b"))
        #expect(try rebuild.store.sync.holder(of: id("gone")) == "print-gone")
        _ = try rebuild.store.sync.apply(
            batch(added: [newMessage("c", uid: 4), b, newMessage("a", uid: 2, text: "word a")]))
        let carried = try rebuild.carry()
        #expect(carried.messages == 1)
        try rebuild.replace()
        rebuild.close()
        #expect(try self.numbers(old).filter { $0.key != "c" } == numbers)
        #expect(try self.numbers(old)["c"] == 4)
        #expect(try old.list() == ["a@2", "b@3", "c@4"])
        #expect(try old.rules.timers(of: work) == ["weekly": time(5)])
        #expect(
            try old.index.search([SearchTerm(.any, "word")], account: work, limit: 9) == [id("b"), id("a")])
        #expect(try old.verify() == [])
    }

    @Test("an interrupted rebuild continues, unless the store has changed since")
    func resumed() throws {
        let old = try folder.open()
        try old.saveUsualMailboxes()
        _ = try old.sync.apply(batch(added: [newMessage("a", uid: 1)]))
        let path = folder.path + "-new"
        try StoreRebuild(at: path, replacing: old, accounts: [work]).close()
        let again = try StoreRebuild(at: path, replacing: old, accounts: [work])
        #expect(again.isResumed)
        again.close()
        _ = try old.sync.apply(batch(added: [newMessage("b", uid: 2)]))
        #expect(throws: MailStoreError.staleRebuild) {
            try StoreRebuild(at: path, replacing: old, accounts: [work])
        }
    }

    private func numbers(_ store: Store) throws -> [String: Int64] {
        try store.file.reading { db in
            let rows = try Row.fetchAll(db, sql: "SELECT email_id, id FROM message")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as String, $0[1] as Int64) })
        }
    }
}
