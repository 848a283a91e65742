import Foundation
import Models
import Testing

@testable import MaildirClient

/// mbsync, Dovecot and delivery agents on the same folders.
@Suite struct MaildirPeerTests {
    static let archive = MailboxName("Archive")

    // MARK: mbsync's UIDs

    @Test(
        arguments: [
            ("1700000000.1_2.host,U=7", "1700000000.1_2.host", 7),
            ("1700000000.M1P2.host,S=4,W=5,U=4294967295", "1700000000.M1P2.host,S=4,W=5", 4_294_967_295),
            ("a,U=12,S=9", "a,S=9", 12), ("a,U=", "a,U=", nil), ("a,U=x", "a,U=x", nil),
            ("a,U=7b", "a,U=7b", nil),
            ("a,U=99999999999", "a,U=99999999999", nil), ("a", "a", nil), (",U=1", ",U=1", nil),
            ("aU=1", "aU=1", nil),
        ] as [(String, String, UInt32?)])
    func `mbsync's UID is not part of a message's identity`(
        _ name: String, _ unique: String, _ uid: UInt32?
    ) {
        let parsed = MaildirFileName(Array("\(name):2,FS".utf8))
        #expect(parsed.unique == unique)
        #expect(parsed.syncUID == uid)
        #expect(parsed.flags == [.flagged, .seen])
        #expect(parsed.bytes == Array("\(name):2,FS".utf8))
    }

    @Test func `a message that mbsync renames stays the same message`() throws {
        let box = try Sandbox()
        try box.write("x", to: "new/m")
        let before = try #require(try box.client.list(.inbox).first)
        try box.rename("new/m", "cur/m,U=1:2,S")
        let after = try #require(try box.client.list(.inbox).first)
        #expect(before.unique == after.unique)
        #expect(try box.client.read(.inbox, unique: before.unique, limit: 9) == Array("x".utf8))
        let entry = try box.client.setFlags(.inbox, unique: before.unique, add: [.flagged])
        #expect(entry.unique == before.unique)
        // Here the UID is good, and mbsync would take a file without it for a new message.
        #expect(box.files() == ["cur/m,U=1:2,FS"])
    }

    @Test func `a message that moves to another folder loses mbsync's UID`() throws {
        let box = try Sandbox()
        try box.write("x", to: "cur/m,U=21:2,S")
        try box.write("y", to: "new/n,U=22:2,")
        for unique in ["m", "n"] {
            for _ in 0..<2 {
                #expect(try box.client.move(unique: unique, from: .inbox, to: Self.archive).unique == unique)
            }
        }
        #expect(box.files() == [".Archive/cur/m:2,S", ".Archive/cur/n:2,"])
    }

    @Test func `a name that an older store kept with mbsync's UID is found`() throws {
        let box = try Sandbox()
        try box.write("x", to: "cur/m,U=3:2,S")
        #expect(try box.client.read(.inbox, unique: "m,U=2", limit: 9) == Array("x".utf8))
        #expect(try box.client.move(unique: "m,U=2", from: .inbox, to: Self.archive).unique == "m")
        #expect(try box.client.locate(unique: "m,U=2")?.0 == Self.archive)
    }

    @Test func `a wrong hint is ignored`() throws {
        let box = try Sandbox()
        try box.write("x", to: "cur/m,U=3:2,S")
        #expect(try box.client.list(.inbox).count == 1)
        try box.rename("cur/m,U=3:2,S", "cur/m,U=4:2,FS")
        #expect(try box.client.read(.inbox, unique: "m", limit: 9) == Array("x".utf8))
        try box.rename("cur/m,U=4:2,FS", "cur/m:2,")
        #expect(try box.client.read(.inbox, unique: "m", limit: 9) == Array("x".utf8))
    }

    /// Without hints each of them would read the whole folder.
    @Test func `ten thousand messages with mbsync's UIDs are read in a few seconds`() throws {
        let box = try Sandbox()
        for index in 0..<10_000 {
            let folder = index % 2 == 0 ? "new" : "cur"
            let name = "\(box.path)/\(folder)/\(1_700_000_000 + index).\(index)_1.host,U=\(index + 1):2,"
            #expect(FileManager.default.createFile(atPath: name, contents: nil))
        }
        let found = try box.client.list(.inbox)
        #expect(found.count == 10_000)
        let start = Self.threadSeconds()
        for entry in found.prefix(2_000) { _ = try box.client.read(.inbox, unique: entry.unique, limit: 9) }
        #expect(Self.threadSeconds() - start < 4)
    }

    private static func threadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test func `files of mbsync, Dovecot and Courier are ignored`() throws {
        let box = try Sandbox()
        for name in [
            ".uidvalidity", ".mbsyncstate", ".mbsyncstate.journal", ".mbsyncstate.lock", ".mbsyncstate.new",
            ".isyncuidmap.db", "dovecot-uidlist", "dovecot.index.log", "subscriptions", "courierimapuiddb",
            "maildirfolder", "cur/.nfs0001", "tmp/1700000000.half",
        ] {
            try box.write("1\n2\n", to: name)
        }
        try box.write("x", to: "courierimapkeywords/:list")
        #expect(try box.client.mailboxes().map(\.displayName) == ["INBOX"])
        #expect(try box.client.list(.inbox) == [])
    }

    // MARK: At the same time

    /// Deliveries into `new`, files that mbsync renames and files that go, while we list, read and mark.
    @Test func `no message is lost or doubled, whatever happens between listing and reading`()
        async throws
    {
        let box = try Sandbox()
        let (count, client, path) = (400, box.client, box.path)
        for index in 0..<count { try box.write("old \(index)", to: "cur/old\(index):2,") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await Self.workLikeOthers(path, count) }
            var isDone = false
            group.addTask { try Self.markAll(client, count) }
            while !isDone {
                let found = try client.list(.inbox)
                #expect(Set(found.map(\.unique)).count == found.count)
                // Of the old ones only the odd ones may go.
                let old = found.filter { $0.unique.hasPrefix("old") }
                #expect(old.count { Self.number($0.unique) % 2 == 0 } == count / 2)
                isDone = found.contains { $0.unique == "last" }
                await Task.yield()
            }
            try await group.waitForAll()
        }
        let found = try client.list(.inbox)
        #expect(found.count == count / 2 + count + 1)
        #expect(found.filter { $0.unique.hasPrefix("old") }.allSatisfy { $0.flags.contains(.flagged) })
    }

    private static func number(_ unique: String) -> Int { Int(unique.dropFirst(3)) ?? -1 }

    private static func workLikeOthers(_ path: String, _ count: Int) async throws {
        for index in 0..<count {
            let waiting = "\(path)/tmp/new\(index)"
            #expect(FileManager.default.createFile(atPath: waiting, contents: Data("new \(index)".utf8)))
            #expect(rename(waiting, "\(path)/new/new\(index)") == 0)
            let names = ["\(path)/cur/old\(index):2,", "\(path)/cur/old\(index):2,F"]
            for name in names where index % 2 == 1 { _ = unlink(name) }
            for name in names where index % 2 == 0 {
                _ = rename(name, name.replacing("old\(index)", with: "old\(index),U=\(index + 1)"))
            }
            if index % 16 == 0 { try await Task.sleep(for: .milliseconds(1)) }
        }
        #expect(FileManager.default.createFile(atPath: "\(path)/new/last", contents: nil))
    }

    private static func markAll(_ client: Maildir, _ count: Int) throws {
        for index in 0..<count {
            do throws(MaildirError) {
                _ = try client.setFlags(.inbox, unique: "old\(index)", add: [.flagged])
                _ = try client.read(.inbox, unique: "old\(index)", limit: 9)
            } catch {
                // Gone is an answer for those that went, and for no other.
                guard case .gone = error, index % 2 == 1 else { throw error }
            }
        }
    }
}
