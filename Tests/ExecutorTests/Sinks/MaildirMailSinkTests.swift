import Foundation
import MIMEParser
import MaildirClient
import Models
import Testing

@testable import Executor

@Suite("Maildir sink")
struct MaildirMailSinkTests {
    private let folder = MaildirFolder()

    private func put(_ name: String, flags: Set<Flag> = []) throws -> Target {
        _ = try folder.client.addMessage(
            to: .inbox, message: mail(name), flags: flags, unique: "100.\(name)",
            received: Timestamp(seconds: 100))
        return Target(uid: UInt32(name.utf8.last ?? 0), remoteName: "100.\(name)")
    }

    private var sink: MaildirMailSink { MaildirMailSink(client: folder.client) }

    @Test("a missing mailbox has no UIDVALIDITY")
    func open() async throws {
        try folder.make()
        #expect(try await sink.open(.inbox) == MaildirMailSink.uidValidity)
        #expect(try await sink.open(MailboxName("Nowhere")) == nil)
    }

    @Test("a check reads flags and header, and finds nothing for a missing message")
    func look() async throws {
        try folder.make()
        let there = try put("m1", flags: [.seen])
        let seen = try await sink.look(at: [there, Target(uid: 9, remoteName: "100.gone")], in: .inbox)
        #expect(seen.keys.sorted() == [there.uid])
        #expect(seen[there.uid]?.flags == [.seen])
        #expect(HeaderBlock.canonical(seen[there.uid]?.header ?? []) == HeaderBlock.canonical(mail("m1")))
    }

    @Test("marks are set, and setting them again does no harm")
    func store() async throws {
        try folder.make()
        let target = try put("m1", flags: [.flagged])
        let change = MarkChange(addFlags: [.seen], removeFlags: [.flagged], addKeywords: [Keyword("reading")])
        for _ in 1...2 {
            let shown = try await sink.store(change, on: [target], in: .inbox)
            #expect(shown[target.uid] == Sighting(flags: [.seen], keywords: [Keyword("reading")]))
        }
        #expect(try folder.client.list(.inbox).map(\.flags) == [[.seen]])
    }

    @Test("a move keeps the marks and is proven by the new name; repeating it changes nothing")
    func move() async throws {
        try folder.make()
        let target = try put("m1", flags: [.seen])
        for _ in 1...2 {
            let places = try await sink.move([target], from: .inbox, to: archive)
            #expect(places[target.uid]?.remoteName == "100.m1")
            #expect(places[target.uid]?.evidence.hasPrefix("renamed to ") == true)
        }
        #expect(try folder.client.list(.inbox).isEmpty)
        #expect(try folder.client.list(archive.name).map(\.flags) == [[.seen]])
    }

    @Test("moving a missing message gives no new place")
    func moveOfNothing() async throws {
        try folder.make()
        let places = try await sink.move(
            [Target(uid: 1, remoteName: "100.gone")], from: .inbox, to: archive)
        #expect(places.isEmpty)
    }

    @Test("an appended message is found by its token, and is never added twice")
    func append() async throws {
        try folder.make()
        let message = mail("d1")
        for _ in 1...2 {
            _ = try await sink.append(
                message, to: drafts.name, flags: [.draft, .seen], token: token("d1"),
                at: Timestamp(seconds: 5))
        }
        let found = try await sink.find(token("d1"), in: drafts.name)
        #expect(found.count == 1)
        #expect(try await sink.find(token("other"), in: drafts.name).isEmpty)
        #expect(try folder.client.list(drafts.name).map(\.flags) == [[.draft, .seen]])
    }

    @Test(
        "a token that looks like a path stays a file name",
        arguments: ["../../escape@x", "a/b@x", ".hidden@x", "x:2,S@x", "\u{1B}[31m@x"])
    func hostileToken(_ token: String) async throws {
        try folder.make()
        _ = try await sink.append(
            mail("d1"), to: drafts.name, flags: [.seen], token: MessageID(token), at: Timestamp(seconds: 5))
        let entries = try folder.client.list(drafts.name)
        #expect(entries.count == 1)
        #expect(entries.first?.flags == [.seen])
        #expect(entries.allSatisfy { $0.path.hasPrefix(folder.path + "/.Drafts/cur/5.") })
    }

    @Test("an unmounted disk is an error, and no folder is made there")
    func unmounted() async throws {
        await #expect(throws: SinkError.self) { try await sink.open(.inbox) }
        await #expect(throws: SinkError.self) { try await sink.create(archive) }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
}

/// A place for a Maildir, gone when the test ends.
final class MaildirFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.path + "/opus-sink-\(UUID().uuidString)"
    var client: Maildir { Maildir(root: path, account: work) }

    func make() throws { try client.createRoot() }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
