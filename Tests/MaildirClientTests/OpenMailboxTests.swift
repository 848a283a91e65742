import Foundation
import Models
import Testing

@testable import MaildirClient

/// A mailbox that is read once, and then message by message.
@Suite struct OpenMailboxTests {
    private let box: Sandbox
    private var client: Maildir { box.client }

    init() throws {
        box = try Sandbox()
        try box.write("one", to: "cur/100.a,S=3:2,S")
        try box.write("two two", to: "new/300.c")
        try box.write("three", to: "cur/200.b,U=7,S=5:2,FR")
    }

    @Test func `an open mailbox lists the same messages as a listing, in the same order`() throws {
        let open = try client.opened(.inbox)
        #expect(open.count == 3)
        let entries = try open.entries(0..<open.count)
        let listed = try client.list(.inbox)
        #expect(entries == listed)
        #expect(entries.map(\.unique) == ["100.a,S=3", "200.b,S=5", "300.c"])
        #expect(entries.map(\.size) == [3, 5, 7])
        #expect(try open.entries(1..<2).map(\.unique) == ["200.b,S=5"])
    }

    @Test func `a message is read by its unique name, with its size and file time`() throws {
        let open = try client.opened(.inbox)
        for (unique, text) in [("100.a,S=3", "one"), ("200.b,S=5", "three"), ("300.c", "two two")] {
            let read = try open.read(unique: unique, limit: 1_000)
            #expect(String(decoding: read.bytes, as: UTF8.self) == text)
            #expect(read.size == text.utf8.count)
            #expect(abs(read.received.seconds - Int64(Date().timeIntervalSince1970)) < 600)
        }
        let part = try open.read(unique: "300.c", limit: 3)
        #expect(String(decoding: part.bytes, as: UTF8.self) == "two")
        #expect(part.size == 7)
    }

    @Test func `a renamed file is found, and a missing one is reported`() throws {
        let open = try client.opened(.inbox)
        try box.rename("cur/100.a,S=3:2,S", "cur/100.a,S=3:2,RS")
        try box.rename("new/300.c", "cur/300.c,U=9:2,")
        try box.rename("cur/200.b,U=7,S=5:2,FR", "tmp/gone")
        #expect(try open.read(unique: "100.a,S=3", limit: 9).bytes == Array("one".utf8))
        #expect(try open.read(unique: "300.c", limit: 9).bytes == Array("two two".utf8))
        #expect(throws: MaildirError.gone(unique: "200.b,S=5")) {
            try open.read(unique: "200.b,S=5", limit: 9)
        }
    }

    @Test func `a link is not followed`() throws {
        try FileManager.default.createSymbolicLink(
            atPath: box.path + "/cur/400.d:2,", withDestinationPath: "/etc/passwd")
        let open = try client.opened(.inbox)
        #expect(open.count == 3)
        #expect(throws: MaildirError.self) { try open.read(unique: "400.d", limit: 9) }
    }

    @Test func `a message that is briefly in both folders is listed once`() throws {
        try box.write("two two", to: "cur/300.c:2,S")
        let open = try client.opened(.inbox)
        #expect(open.count == 3)
        #expect(try open.entries(2..<3).map(\.flags) == [[.seen]])
    }

    @Test func `marks change the compared bytes, and mbsync's UIDs do not`() throws {
        func pieces() throws -> [UInt8] {
            var all: [UInt8] = []
            let open = try client.opened(.inbox)
            for inNew in [false, true] { open.forEachPieceOfMarks(inNew: inNew) { all += $0 } }
            return all
        }
        let before = try pieces()
        try box.rename("cur/100.a,S=3:2,S", "cur/100.a,U=3,S=3:2,S")
        #expect(try pieces() == before)
        try box.rename("cur/100.a,U=3,S=3:2,S", "cur/100.a,U=3,S=3:2,FS")
        let marked = try pieces()
        #expect(marked != before)
        try box.write("0 $Forwarded\n", to: "dovecot-keywords")
        #expect(try pieces() != marked)
        try box.write("x", to: "new/500.e")
        #expect(try client.opened(.inbox).count == 4)
    }

    @Test func `every name is found, with or without mbsync's UID`() throws {
        var names = MailboxNames()
        let all = (0..<500).map { index in
            "\(1_000 + index * 7 % 500).m" + (index % 3 == 0 ? ",U=\(index)" : "") + ",S=\(index):2,"
        }
        for name in all { Array(name.utf8).withUnsafeBytes { names.add($0, isNew: false) } }
        names.settle()
        #expect(names.count == 500)
        for name in all {
            let stem = MaildirFileName(Array(name.utf8)).stem
            #expect(names.find(stem: stem)?.raw == Array(name.utf8))
        }
        #expect(names.find(stem: Array("1000".utf8)) == nil)
        #expect(names.find(stem: []) == nil)
    }
}
