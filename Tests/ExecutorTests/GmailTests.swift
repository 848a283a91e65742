import DialectServer
import MailStore
import Models
import Testing

@testable import Executor

/// Gmail is spoken to in labels, and never of `\Deleted`.
@Suite("Gmail")
struct GmailTests {
    private let all = Mailbox(
        account: work, name: MailboxName("[Gmail]/Alle Nachrichten"),
        displayName: "[Gmail]/Alle Nachrichten", role: .all)
    private let trash = Mailbox(
        account: work, name: MailboxName("[Gmail]/Papierkorb"), displayName: "[Gmail]/Papierkorb",
        role: .trash)
    private let projects = mailbox("Projekte")
    private let coffee = MailboxName("Caf&AOk- [neu]")

    // MARK: Archive

    @Test("archiving removes the inbox label, and a second drain changes nothing")
    func archive() async throws {
        try await SinkWorld.with(.gmail) { world in
            let (m1, m2) = (try world.deliver("m1"), try world.deliver("m2"))
            try world.queue("a1", "m1", .move(m1, to: all))
            try world.queue("a2", "m2", .move(m2, to: all))
            let report = try await world.drain()
            #expect(report.confirmed.count == 2 && report.failures.isEmpty)
            #expect(world.subjects("INBOX") == [])
            #expect(world.subjects(all.displayName) == ["m1", "m2"])
            #expect(world.changes == ["UID STORE 1:2 -X-GM-LABELS (\\Inbox)"])
            #expect(!world.heardDeleted)
            #expect(try world.store.sync.placements(of: work, mailbox: .inbox).isEmpty)
            #expect(try await world.drain().confirmed.isEmpty)
            #expect(world.changes.count == 1)
        }
    }

    @Test("if Gmail ignores the change in the inbox, opus removes the label in All Mail")
    func ignoredInTheInbox() async throws {
        try await SinkWorld.with(.gmail) { world in
            let key = try world.deliver("m1")
            try world.deliver("m2")
            // OK, and nothing was done.
            world.server.arm(Fault(.refuse(status: "OK", code: nil), at: "UID STORE"))
            let places = try await world.sink.move([Target(uid: key.uid)], from: .inbox, to: all)
            let place = try #require(places[key.uid])
            #expect(place.uidValidity == world.server.model[all.displayName]?.uidValidity)
            #expect(place.uid == world.server.model.messages(all.displayName).first?.uid)
            #expect(world.subjects("INBOX") == ["m2"])
            #expect(world.subjects(all.displayName) == ["m1", "m2"])
        }
    }

    @Test("a change that Gmail ignores is not confirmed, and is tried again")
    func ignoredEverywhere() async throws {
        try await SinkWorld.with(.gmail) { world in
            try world.queue("a1", "m1", .move(try world.deliver("m1"), to: all))
            world.server.arm(Fault(.refuse(status: "OK", code: nil), at: "UID STORE", count: 2))
            let report = try await world.drain()
            #expect(report.confirmed.isEmpty && report.waiting.count == 1)
            #expect(world.subjects("INBOX") == ["m1"])
            // It stands in All Mail too, as everything does: that is no half-done move, and it is tried again.
            #expect(try await world.drain().confirmed.count == 1)
            #expect(world.subjects("INBOX") == [])
        }
    }

    @Test("a message archived from a label keeps its other labels")
    func archiveFromLabel() async throws {
        try await SinkWorld.with(.gmail) { world in
            let key = try world.deliver("m1", to: coffee.description)
            world.server.act {
                $0.changeLabels([key.uid], in: coffee.description, add: ["\\Inbox", "Projekte"])
            }
            let places = try await world.sink.move([Target(uid: key.uid)], from: coffee, to: all)
            #expect(places.count == 1)
            #expect(world.subjects(coffee.description) == [])
            #expect(world.subjects("INBOX") == ["m1"] && world.subjects("Projekte") == ["m1"])
            #expect(world.changes == ["UID STORE 1 -X-GM-LABELS (\"Caf&AOk- [neu]\")"])
        }
    }

    @Test("a message returns from All Mail to the inbox by a label, and stays in All Mail")
    func back() async throws {
        try await SinkWorld.with(.gmail) { world in
            let key = try world.deliver("m1", to: all.displayName)
            let places = try await world.sink.move(
                [Target(uid: key.uid)], from: all.name, to: mailbox("INBOX", .inbox))
            #expect(places[key.uid]?.uid == 1 && places.count == 1)
            #expect(world.subjects("INBOX") == ["m1"] && world.subjects(all.displayName) == ["m1"])
            #expect(world.changes == ["UID STORE 1 +X-GM-LABELS (\\Inbox)"])
        }
    }

    // MARK: Moves

    @Test("a message moves from one label to another")
    func betweenLabels() async throws {
        try await SinkWorld.with(.gmail) { world in
            try world.queue("a1", "m1", .move(try world.deliver("m1"), to: projects))
            #expect(try await world.drain().confirmed.count == 1)
            #expect(world.subjects("INBOX") == [] && world.subjects("Projekte") == ["m1"])
            #expect(world.changes == ["UID MOVE 1 Projekte"])
        }
    }

    @Test("after Gmail closes the connection, the next run finds the trashed message by its X-GM-MSGID")
    func trashed() async throws {
        try await SinkWorld.with(.gmail) { world in
            let nameless = Array("From: ana@acme.example\r\nSubject: m1\r\n\r\nNo Message-ID.\r\n".utf8)
            try world.queue("t1", "m1", .move(try world.deliver("m1", bytes: nameless), to: trash))
            let first = try await world.drain()
            #expect(first.waiting.map(\.state) == [.unknown] && first.interruption != nil)
            try await world.reconnect()
            let second = try await world.drain()
            #expect(second.confirmed.map(\.idempotencyKey) == ["t1"] && second.failures.isEmpty)
            #expect(world.subjects(trash.displayName) == ["m1"])
            #expect(world.subjects("INBOX") == [] && world.subjects(all.displayName) == [])
            #expect(world.changes.count == 1 && !world.heardDeleted)
        }
    }

    @Test("without MOVE nothing is copied or marked as deleted, because Gmail removes marked messages")
    func withoutMove() async throws {
        var profile = DialectProfile.gmail
        profile.offeredAfter.removeAll { $0 == "MOVE" }
        try await SinkWorld.with(profile) { world in
            try world.queue("t1", "m1", .move(try world.deliver("m1"), to: trash))
            let report = try await world.drain()
            #expect(report.rejected.first?.error?.contains("is not safe there; nothing was changed") == true)
            #expect(world.changes == [] && world.subjects("INBOX") == ["m1"])
        }
    }

    // MARK: Marks

    @Test("keywords become labels, flags stay flags, and registered keywords stay keywords")
    func labels() async throws {
        let words = [#"a "quoted" one"#, "with ] and [", "Entwürfe", "a&b", "plain"].map { Keyword($0) }
        try await SinkWorld.with(.gmail) { world in
            let key = try world.deliver("m1")
            try world.queue(
                "s1", "m1",
                .store(
                    key, addFlags: [.flagged], removeFlags: [],
                    addKeywords: Set(words + [Keyword("$Forwarded")]),
                    removeKeywords: [Keyword("never there")]))
            #expect(try await world.drain().confirmed.count == 1)
            #expect(
                world.server.model.contents.first?.labels == [
                    "\\Inbox", #"a "quoted" one"#, "with ] and [", "Entw&APw-rfe", "a&-b", "plain",
                ])
            #expect(world.server.model.messages("INBOX").first?.flags == ["\\Flagged", "$Forwarded"])
            let stored = try #require(try world.store.sync.placements(of: work, mailbox: .inbox).first)
            #expect(stored.flags == [.flagged] && stored.keywords == Set(words + [Keyword("$Forwarded")]))

            let changes = world.changes.count
            try world.queue(
                "s2", "m1",
                .store(
                    key, addFlags: [], removeFlags: [], addKeywords: [Keyword("entwürfe")], removeKeywords: []
                )
            )
            #expect(try await world.drain().confirmed.count == 1)
            #expect(world.changes.count == changes)
        }
    }

    @Test("a label can be removed, and system labels are not keywords")
    func unlabel() async throws {
        try await SinkWorld.with(.gmail) { world in
            let key = try world.deliver("m1")
            world.server.act {
                $0.changeLabels([key.uid], in: "INBOX", add: ["plain", "\\Important", "kept"])
            }
            try world.queue(
                "s1", "m1",
                .store(
                    key, addFlags: [], removeFlags: [], addKeywords: [], removeKeywords: [Keyword("plain")]))
            #expect(try await world.drain().confirmed.count == 1)
            #expect(world.server.model.contents.first?.labels == ["\\Inbox", "\\Important", "kept"])
            let stored = try world.store.sync.placements(of: work, mailbox: .inbox).first
            #expect(stored?.keywords == [Keyword("kept")])
        }
    }

    @Test("a label that Gmail ignores is not confirmed")
    func labelIgnored() async throws {
        try await SinkWorld.with(.gmail) { world in
            let key = try world.deliver("m1")
            try world.queue(
                "s1", "m1",
                .store(
                    key, addFlags: [], removeFlags: [], addKeywords: [Keyword("plain")], removeKeywords: []))
            world.server.arm(Fault(.refuse(status: "OK", code: nil), at: "UID STORE"))
            let report = try await world.drain()
            #expect(report.confirmed.isEmpty && report.waiting.count == 1)
        }
    }

    @Test("no message is ever marked as deleted")
    func deleted() async throws {
        try await SinkWorld.with(.gmail) { world in
            let key = try world.deliver("m1")
            try world.queue(
                "s1", "m1",
                .store(
                    key, addFlags: [.deleted], removeFlags: [], addKeywords: [], removeKeywords: []))
            #expect(try await world.drain().rejected.count == 1)
            #expect(world.changes == [] && !world.heardDeleted)
        }
    }

    // MARK: Sent

    @Test("sent mail that Gmail files itself is not appended", arguments: [true, false])
    func sentCopy(_ isSameProvider: Bool) async throws {
        let sent = Mailbox(
            account: work, name: MailboxName("[Gmail]/Gesendet"), displayName: "[Gmail]/Gesendet", role: .sent
        )
        try await SinkWorld.with(.gmail, submitsToSameProvider: isSameProvider) { world in
            try world.queue(
                "c1", nil, .append(to: sent, message: mail("c1"), flags: [.seen], token: token("c1")))
            #expect(try await world.drain().confirmed.count == 1)
            #expect(world.subjects(sent.displayName) == (isSameProvider ? [] : ["c1"]))
        }
    }
}
