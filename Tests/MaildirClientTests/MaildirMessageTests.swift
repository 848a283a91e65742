import Foundation
import Models
import Testing

@testable import MaildirClient

@Suite struct MaildirMessageTests {
    static let archive = MailboxName("Archive")

    // MARK: Listing and reading

    @Test func `a listing has the messages of new and cur, with flags, sizes and times`() throws {
        let box = try Sandbox()
        try box.write("From: a\n\nnew", to: "new/1700000001.a.host")
        try box.write("From: b\n\nold!", to: "cur/1700000002.b.host,S=999:2,FPRST")
        let found = try box.client.list(.inbox)
        #expect(found.map(\.unique) == ["1700000001.a.host", "1700000002.b.host,S=999"])
        #expect(found.map(\.flags) == [[], [.flagged, .answered, .seen, .deleted]])
        #expect(found.map(\.isNew) == [true, false])
        #expect(found.map(\.size) == [12, 999])
        #expect(found[0].modified != nil)
        #expect(found[1].modified == nil)
        #expect(try box.client.received(found[1]).seconds > 1_700_000_000)
        #expect(found[1].path == box.path + "/cur/1700000002.b.host,S=999:2,FPRST")
    }

    @Test func `hidden names, folders and links are not messages`() throws {
        let box = try Sandbox()
        try box.write("x", to: "cur/.hidden:2,")
        try box.write("x", to: "cur/folder/x")
        try box.write("secret", to: "secret")
        try FileManager.default.createSymbolicLink(
            atPath: box.path + "/cur/link,S=6:2,", withDestinationPath: box.path + "/secret")
        #expect(try box.client.list(.inbox) == [])
        #expect(throws: MaildirError.gone(unique: "link,S=6")) {
            try box.client.read(.inbox, unique: "link,S=6", limit: 100)
        }
    }

    @Test(arguments: ["../secret", "a/b", "", ".", "..", "a\u{0}b"])
    func `a unique name never leaves its folder`(_ unique: String) throws {
        let box = try Sandbox()
        try box.write("x", to: "secret")
        #expect(throws: MaildirError.gone(unique: unique)) {
            try box.client.read(.inbox, unique: unique, limit: 10)
        }
        #expect(throws: MaildirError.invalidName(unique)) {
            try box.client.addMessage(
                to: .inbox, message: [1], unique: unique, received: Timestamp(seconds: 0))
        }
    }

    @Test(arguments: [(0, ""), (3, "abc"), (6, "abcdef"), (100, "abcdef"), (-1, "")])
    func `a message is read up to the limit`(_ limit: Int, _ text: String) throws {
        let box = try Sandbox()
        try box.write("abcdef", to: "cur/m:2,")
        #expect(try box.client.read(.inbox, unique: "m", limit: limit) == Array(text.utf8))
    }

    @Test func `a message is found with any flags in its name`() throws {
        let box = try Sandbox()
        try box.write("abc", to: "cur/m:2,FSabz")
        #expect(try box.client.read(.inbox, unique: "m", limit: 9) == Array("abc".utf8))
        try box.rename("cur/m:2,FSabz", "cur/m")
        #expect(try box.client.read(.inbox, unique: "m", limit: 9) == Array("abc".utf8))
    }

    @Test func `a message file of 50 MB is read to the end`() throws {
        let box = try Sandbox()
        let bytes = [UInt8](repeating: 0x61, count: 50_000_000)
        let entry = try box.client.addMessage(
            to: .inbox, message: bytes, unique: "big", received: Timestamp(seconds: 5))
        #expect(entry.size == bytes.count)
        #expect(try box.client.read(.inbox, unique: "big", limit: 60_000_000).count == bytes.count)
    }

    @Test func `ten thousand messages are listed in less than a second`() throws {
        let box = try Sandbox()
        for index in 0..<10_000 {
            let name = box.path + "/cur/\(1_700_000_000 + index).M\(index)P1.host,S=1:2,S"
            #expect(FileManager.default.createFile(atPath: name, contents: nil))
        }
        // Processor time of this thread, because other tests run beside it.
        let start = Self.threadSeconds()
        #expect(try box.client.list(.inbox).count == 10_000)
        #expect(Self.threadSeconds() - start < 1)
    }

    private static func threadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    // MARK: Marks

    @Test func `setting flags of a new message moves it to cur`() throws {
        let box = try Sandbox()
        try box.write("x", to: "new/m")
        let entry = try box.client.setFlags(.inbox, unique: "m", add: [.seen, .flagged])
        #expect(entry.flags == [.seen, .flagged])
        #expect(!entry.isNew)
        #expect(box.files() == ["cur/m:2,FS"])
    }

    @Test func `setting a flag again does not change the name`() throws {
        let box = try Sandbox()
        try box.write("x", to: "new/m")
        try box.write("x", to: "cur/n:2,SF")
        _ = try box.client.setFlags(.inbox, unique: "m", remove: [.seen])
        _ = try box.client.setFlags(.inbox, unique: "n", add: [.seen], remove: [.deleted])
        #expect(box.files() == ["cur/n:2,SF", "new/m"])
    }

    @Test func `flags of other programs are kept`() throws {
        let box = try Sandbox()
        try box.write("x", to: "cur/m:2,PSxZ")
        _ = try box.client.setFlags(.inbox, unique: "m", add: [.answered], remove: [.seen])
        #expect(box.files() == ["cur/m:2,PRZx"])
    }

    @Test func `fields after the letters count as no flag, and are kept`() throws {
        let box = try Sandbox()
        try box.write("x", to: "cur/m:2,S,F=1,T")
        #expect(try box.client.list(.inbox).map(\.flags) == [[.seen]])
        _ = try box.client.setFlags(.inbox, unique: "m", add: [.answered])
        #expect(box.files() == ["cur/m:2,RS,F=1,T"])
    }

    @Test func `a keyword gets the letter of Dovecot, or the next free one`() throws {
        let box = try Sandbox()
        try box.write("0 $Forwarded\n2 work\n", to: "dovecot-keywords")
        try box.write("x", to: "cur/m:2,Sa")
        #expect(try box.client.list(.inbox).first?.keywords == [Keyword("$forwarded")])
        let entry = try box.client.setFlags(
            .inbox, unique: "m", addKeywords: [Keyword("Work"), Keyword("later")],
            removeKeywords: [Keyword("$Forwarded"), Keyword("unknown")])
        #expect(entry.keywords == [Keyword("work"), Keyword("later")])
        #expect(box.files() == ["cur/m:2,Sbc"])
        #expect(box.read("dovecot-keywords") == "0 $Forwarded\n1 later\n2 work\n")
        #expect(box.read("dovecot-uidlist.lock") == nil)
    }

    @Test func `the first label creates the keywords file`() throws {
        let box = try Sandbox()
        try box.write("x", to: "cur/m:2,")
        _ = try box.client.setFlags(.inbox, unique: "m", addKeywords: [Keyword("todo")])
        #expect(box.read("dovecot-keywords") == "0 todo\n")
        #expect(try box.client.list(.inbox).first?.keywords == [Keyword("todo")])
    }

    @Test func `a label gets no letter that messages already have, and other lines of the table stay`() throws
    {
        let box = try Sandbox()
        try box.write("1 unknown(x)\n4 caf\u{e9}\n30 far\nnote\n6 later\r\n", to: "dovecot-keywords")
        try box.write("x", to: "cur/m:2,S")
        try box.write("y", to: "cur/n:2,Sac")
        try box.write("z", to: "cur/o:2,g")
        #expect(try box.client.list(.inbox).compactMap(\.keywords) == [[], [], [Keyword("later")]])
        _ = try box.client.setFlags(
            .inbox, unique: "m", addKeywords: [Keyword("alpha"), Keyword("beta"), Keyword("later")])
        #expect(box.files() == ["cur/m:2,Sdfg", "cur/n:2,Sac", "cur/o:2,g"])
        #expect(
            box.read("dovecot-keywords")
                == "3 alpha\n5 beta\n6 later\n1 unknown(x)\n4 caf\u{e9}\n30 far\nnote\n")
    }

    @Test func `a table that is a symbolic link is not replaced`() throws {
        let box = try Sandbox()
        try box.write("0 work\n", to: "shared")
        try box.link("dovecot-keywords", to: "shared")
        try box.write("x", to: "cur/m:2,Sa")
        #expect {
            try box.client.setFlags(.inbox, unique: "m", addKeywords: [Keyword("todo")])
        } throws: {
            if case MaildirError.linkedKeywords = $0 { true } else { false }
        }
        #expect(box.read("shared") == "0 work\n")
        #expect(box.files() == ["cur/m:2,Sa"])
    }

    @Test func `the twenty-seventh label is refused, and nothing is renamed`() throws {
        let box = try Sandbox()
        try box.write((0..<26).map { "\($0) k\($0)\n" }.joined(), to: "dovecot-keywords")
        try box.write("x", to: "cur/m:2,")
        #expect(throws: MaildirError.tooManyKeywords(.inbox)) {
            try box.client.setFlags(.inbox, unique: "m", add: [.seen], addKeywords: [Keyword("one-more")])
        }
        #expect(box.files() == ["cur/m:2,"])
    }

    @Test func `a label with a line break is refused`() throws {
        let box = try Sandbox()
        try box.write("x", to: "cur/m:2,")
        #expect(throws: MaildirError.invalidName("a\n1 b")) {
            try box.client.setFlags(.inbox, unique: "m", addKeywords: [Keyword("a\n1 b")])
        }
    }

    @Test func `opus waits for the lock of another program, and takes over an old one`() throws {
        let box = try Sandbox()
        try box.write("x", to: "cur/m:2,")
        try box.write("", to: "dovecot-uidlist.lock")
        #expect(throws: MaildirError.locked(path: box.path + "/dovecot-uidlist.lock")) {
            try box.client.setFlags(.inbox, unique: "m", addKeywords: [Keyword("todo")])
        }
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -600)],
            ofItemAtPath: box.path + "/dovecot-uidlist.lock"
        )
        let entry = try box.client.setFlags(.inbox, unique: "m", addKeywords: [Keyword("todo")])
        #expect(entry.keywords == [Keyword("todo")])
    }

    @Test(
        "a lock is taken over at once if its process on this machine was killed, and only then",
        arguments: [
            ("4194303:HOST", true), ("1:HOST", false), ("4194303:elsewhere", false), ("4194303", false),
        ])
    func deadOwner(_ owner: String, _ isTaken: Bool) throws {
        let box = try Sandbox()
        try box.write("x", to: "cur/m:2,")
        var name = [CChar](repeating: 0, count: 256)
        try #require(gethostname(&name, 255) == 0)
        let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        try box.write(owner.replacing("HOST", with: host), to: "dovecot-uidlist.lock")
        let entry = try? box.client.setFlags(.inbox, unique: "m", addKeywords: [Keyword("todo")])
        #expect((entry?.keywords == [Keyword("todo")]) == isTaken)
        #expect((box.read("dovecot-uidlist.lock") == nil) == isTaken)
        #expect(box.files().allSatisfy { !$0.contains(".lock.") })
    }

    @Test func `the error about a missing message names it`() throws {
        let box = try Sandbox()
        #expect(throws: MaildirError.gone(unique: "m")) {
            try box.client.setFlags(.inbox, unique: "m", add: [.seen])
        }
        #expect(throws: MaildirError.gone(unique: "m")) {
            try box.client.move(unique: "m", from: .inbox, to: Self.archive)
        }
    }

    // MARK: Moving

    @Test func `a move keeps the marks, creates the mailbox, and changes nothing when repeated`() throws {
        let box = try Sandbox()
        try box.write("x", to: "cur/m:2,PS")
        for _ in 0..<2 {
            let entry = try box.client.move(unique: "m", from: .inbox, to: Self.archive)
            #expect(entry.mailbox == Self.archive)
            #expect(entry.flags == [.seen])
        }
        #expect(box.files() == [".Archive/cur/m:2,PS"])
    }

    @Test func `a missing destination is an error if it may not be created`() throws {
        let box = try Sandbox()
        try box.write("x", to: "cur/m:2,")
        #expect(throws: MaildirError.noSuchMailbox(Self.archive, path: box.path + "/.Archive")) {
            try box.client.move(unique: "m", from: .inbox, to: Self.archive, create: false)
        }
        #expect(box.files() == ["cur/m:2,"])
    }

    @Test func `a keyword means the same in the other mailbox`() throws {
        let box = try Sandbox()
        try box.client.create(Self.archive)
        try box.write("0 work\n1 later\n", to: "dovecot-keywords")
        try box.write("0 other\n3 work\n", to: ".Archive/dovecot-keywords")
        try box.write("x", to: "cur/m:2,Sabd")
        let entry = try box.client.move(unique: "m", from: .inbox, to: Self.archive)
        // `d` had no meaning here and would gain one there, so it is dropped.
        #expect(entry.keywords == [Keyword("work"), Keyword("later")])
        #expect(box.files() == [".Archive/cur/m:2,Sbd"])
        #expect(box.read(".Archive/dovecot-keywords") == "0 other\n1 later\n3 work\n")
    }

    @Test func `another message of the same name is never replaced`() throws {
        let box = try Sandbox()
        try box.client.create(Self.archive)
        try box.write("mine", to: "cur/m:2,S")
        try box.write("theirs", to: ".Archive/cur/m:2,S")
        #expect(throws: MaildirError.alreadyExists(unique: "m", Self.archive)) {
            try box.client.move(unique: "m", from: .inbox, to: Self.archive)
        }
        #expect(box.read("cur/m:2,S") == "mine")
        #expect(box.read(".Archive/cur/m:2,S") == "theirs")
    }

    @Test func `a move interrupted by a crash is finished`() throws {
        let box = try Sandbox()
        try box.client.create(Self.archive)
        try box.write("x", to: "cur/m:2,S")
        try FileManager.default.linkItem(
            atPath: box.path + "/cur/m:2,S", toPath: box.path + "/.Archive/cur/m:2,S")
        _ = try box.client.move(unique: "m", from: .inbox, to: Self.archive)
        #expect(box.files() == [".Archive/cur/m:2,S"])
    }

    @Test func `a message is found in any mailbox`() throws {
        let box = try Sandbox()
        try box.client.create(Self.archive)
        try box.write("x", to: ".Archive/cur/m:2,Sq")
        let found = try box.client.locate(unique: "m")
        #expect(found?.0 == Self.archive)
        #expect(found?.1.flags == [.seen])
        #expect(try box.client.locate(unique: "n") == nil)
    }

    // MARK: Appending

    @Test func `a message is appended once, however often it is requested`() throws {
        let box = try Sandbox()
        let received = Timestamp(seconds: 1_600_000_000)
        for _ in 0..<2 {
            let entry = try box.client.addMessage(
                to: Self.archive, message: Array("a\r\nb\n".utf8), flags: [.seen, .draft], unique: "opus.1",
                received: received)
            #expect(entry.modified == received)
            #expect(entry.flags == [.seen, .draft])
        }
        #expect(box.files() == [".Archive/cur/opus.1:2,DS"])
        #expect(box.read(".Archive/cur/opus.1:2,DS") == "a\r\nb\n")
    }

    @Test func `an append is not repeated after its message was read and labelled`() throws {
        let box = try Sandbox()
        try box.write("x", to: "cur/opus.1:2,Sk")
        _ = try box.client.addMessage(
            to: .inbox, message: [1], unique: "opus.1", received: Timestamp(seconds: 0))
        #expect(box.files() == ["cur/opus.1:2,Sk"])
    }

    @Test func `a leftover file in tmp is replaced`() throws {
        let box = try Sandbox()
        try box.write("half", to: "tmp/opus.1")
        _ = try box.client.addMessage(
            to: .inbox, message: Array("whole".utf8), unique: "opus.1", received: Timestamp(seconds: 0))
        #expect(box.files() == ["new/opus.1"])
        #expect(box.read("new/opus.1") == "whole")
    }

    @Test func `an append that fails leaves no file`() throws {
        let box = try Sandbox()
        try box.client.create(Self.archive)
        try FileManager.default.removeItem(atPath: box.path + "/.Archive/tmp")
        try box.write("in the way", to: ".Archive/tmp")
        #expect(throws: MaildirError.io(errno: ENOTDIR, path: box.path + "/.Archive/tmp")) {
            try box.client.addMessage(
                to: Self.archive, message: [1], unique: "opus.1", received: Timestamp(seconds: 0))
        }
        #expect(box.files() == [])
    }
}
