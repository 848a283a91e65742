import DialectServer
import Models
import Testing

@testable import Executor

/// What the sink does, and what it refuses to do, on servers whose claims are not to be trusted.
@Suite("IMAP sink")
struct IMAPMailSinkTests {
    private let box = mailbox("Archive", .archive)

    @Test("without a working UID EXPUNGE nothing is copied, and the error gives the reason")
    func noUIDExpunge() async throws {
        var profile = DialectProfile.proton
        profile.offeredBefore.removeAll { $0 == "MOVE" }
        profile.offeredAfter.removeAll { $0 == "MOVE" }
        profile.greeting = "Proton Mail Bridge ready"
        try await SinkWorld.with(profile) { world in
            try world.queue("a1", "m1", .move(try world.deliver("m1"), to: box))
            let report = try await world.drain()
            let words = try #require(report.rejected.first?.error)
            #expect(words.contains("does not offer MOVE") && words.contains("nothing was changed"))
            #expect(world.changes == [] && !world.heardDeleted)
            #expect(world.subjects("INBOX") == ["m1"] && world.subjects("Archive") == [])
        }
    }

    @Test(
        "the header is checked right before each change, and another message at the UID is not changed",
        arguments: [DialectProfile.proton, .dovecot, .gmail])
    func headerFirst(_ profile: DialectProfile) async throws {
        try await SinkWorld.with(profile) { world in
            let destination =
                profile.isGmail ? mailbox("Projekte") : box
            let (m1, m2) = (try world.deliver("m1"), try world.deliver("m2"))
            // The place of the first is planned for the second: as if the server had renumbered.
            try world.queue("a1", "stranger", .move(m1, to: destination))
            try world.deliver("stranger", to: destination.displayName)
            try world.queue("a2", "m2", .move(m2, to: destination))
            let report = try await world.drain()
            #expect(report.rejected.map(\.idempotencyKey) == ["a1"])
            #expect(report.confirmed.map(\.idempotencyKey) == ["a2"])
            #expect(world.changes == ["UID MOVE \(m2.uid) \(destination.displayName)"])
            let heard = world.server.transcript.filter { $0.name != "STATUS" }
            let move = try #require(heard.firstIndex { $0.name == "UID MOVE" })
            #expect(heard[move - 1].name == "UID FETCH" && heard[move - 1].rest.contains("HEADER"))
        }
    }

    @Test("a move needs SELECT, STATUS of the destination, FETCH of the header and MOVE")
    func turns() async throws {
        try await SinkWorld.with(.dovecot) { world in
            try world.queue("a1", "m1", .move(try world.deliver("m1"), to: box))
            let before = world.server.transcript.count
            #expect(try await world.drain().confirmed.count == 1)
            let names = world.server.transcript.dropFirst(before).map(\.name)
            #expect(names.suffix(4) == ["SELECT", "STATUS", "UID FETCH", "UID MOVE"])
            #expect(!names.dropLast(4).contains("STATUS"))
        }
    }

    @Test("a move out of a missing mailbox fails for good")
    func noMailbox() async throws {
        try await SinkWorld.with(.dovecot) { world in
            let key = try world.deliver("m1")
            let gone = MessageKey(
                account: key.account, mailbox: MailboxName("Gone"), uidValidity: key.uidValidity, uid: key.uid
            )
            try world.queue("a1", "m1", .move(gone, to: box))
            #expect(
                try await world.drain().rejected.first?.error?.contains("mailbox Gone does not exist") == true
            )
        }
    }

    @Test("without MOVE a message is copied, and only the original is removed")
    func copied() async throws {
        var profile = DialectProfile.dovecot
        profile.offeredAfter.removeAll { $0 == "MOVE" }
        try await SinkWorld.with(profile) { world in
            let key = try world.deliver("m1")
            try world.deliver("m2")
            try world.queue("a1", "m1", .move(key, to: box))
            #expect(try await world.drain().confirmed.count == 1)
            #expect(world.subjects("INBOX") == ["m2"] && world.subjects("Archive") == ["m1"])
            #expect(world.server.violations == [])
            #expect(
                world.changes == [
                    "UID COPY 1 Archive", "UID STORE 1 +FLAGS (\\Deleted)", "UID EXPUNGE 1",
                ])
        }
    }

    @Test("if PERMANENTFLAGS allows no new keywords, only known keywords are kept")
    func noNewKeywords() async throws {
        try await SinkWorld.with(.dovecot) { world in
            try world.deliver("m1")
            let limited = "* OK [PERMANENTFLAGS (\\Seen \\Answered $Known)] Limited"
            world.server.arm(Fault(.untagged([limited]), at: "SELECT"))
            let words: Set = [Keyword("work"), Keyword("$known")]
            #expect(try await world.sink.unkeepable(words, in: .inbox) == [Keyword("work")])
        }
        try await SinkWorld.with(.dovecot) { world in
            let lost = try await world.sink.unkeepable([Keyword("work")], in: .inbox)
            #expect(lost.isEmpty)
        }
    }

    @Test("the copy of sent mail is appended unless the server is known to file it")
    func sentCopy() async throws {
        try await SinkWorld.with(.dovecot, submitsToSameProvider: true) { world in
            try world.queue(
                "c1", nil,
                .append(
                    to: mailbox("Sent", .sent), message: mail("c1"), flags: [.seen], token: token("c1")))
            #expect(try await world.drain().confirmed.count == 1)
            #expect(world.subjects("Sent") == ["c1"])
        }
    }

    @Test("a message that FETCH does not return is there, and one that is gone is not")
    func silentFetch() async throws {
        try await SinkWorld.with(.dovecot) { world in
            let key = try world.deliver("m1")
            world.server.arm(Fault(.withoutFetchData, at: "UID FETCH"))
            let targets = [Target(uid: key.uid), Target(uid: key.uid + 7)]
            #expect(try await world.sink.look(at: targets, in: .inbox) == [key.uid: .unreadable])
            let seen = try await world.sink.look(at: targets, in: .inbox)
            #expect(seen.count == 1 && seen[key.uid]?.isReadable == true)
        }
    }

    @Test("what arrived since is listed without a search, and only messages of that size")
    func arrivals() async throws {
        try await SinkWorld.with(.dovecot) { world in
            let old = try world.deliver("m1")
            let new = try world.deliver("m2", bytes: namelessMail("m2"))
            try world.deliver("a longer subject")
            let size = namelessMail("m2").count
            let found = try await world.sink.arrivals(from: old.uid + 1, size: size, in: .inbox)
            #expect(found.map(\.uid) == [new.uid])
            #expect(found.first.map { Array($0.header) }?.starts(with: Array("From: ana".utf8)) == true)
            #expect(try await world.sink.arrivals(from: old.uid, size: nil, in: .inbox).count == 3)
            #expect(try await world.sink.arrivals(from: 9, size: nil, in: .inbox).isEmpty)
        }
    }

    @Test("without Message-ID, COPY after a lost answer is not repeated")
    func copiedOnce() async throws {
        var profile = DialectProfile.dovecot
        profile.offeredAfter.removeAll { $0 == "MOVE" }
        try await SinkWorld.with(profile) { world in
            let key = try world.deliver("m1", bytes: namelessMail("m1"))
            try world.queue("a1", "m1", .move(key, to: box))
            world.server.arm(Fault(.closeAfterDoing, at: "UID COPY"))
            _ = try await world.drain()
            #expect(world.subjects("Archive") == ["m1"])
            try await world.reconnect()
            #expect(try await world.drain().confirmed.count == 1)
            #expect(world.subjects("INBOX") == [] && world.subjects("Archive") == ["m1"])
        }
    }

    @Test("while the mailbox is locked, only the removal of the original is repeated")
    func lockedMailbox() async throws {
        var profile = DialectProfile.dovecot
        profile.offeredAfter.removeAll { $0 == "MOVE" }
        try await SinkWorld.with(profile) { world in
            try world.queue("a1", "m1", .move(try world.deliver("m1"), to: box))
            world.server.arm(Fault(.refuse(status: "NO", code: "INUSE"), at: "UID EXPUNGE", count: 3))
            for _ in 1...3 { _ = try await world.drain() }
            #expect(try await world.drain().confirmed.count == 1)
            #expect(world.subjects("INBOX") == [] && world.subjects("Archive") == ["m1"])
            #expect(world.changes.filter { $0.hasPrefix("UID COPY") } == ["UID COPY 1 Archive"])
        }
    }
}
