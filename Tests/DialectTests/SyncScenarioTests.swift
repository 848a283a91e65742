import DialectServer
import Models
import Testing

/// Every dialect through everything that a sync meets on a server that works as it always does.
@Suite struct SyncScenarioTests {
    @Test("after a first sync, the store has the same mail as the server", arguments: DialectProfile.all)
    func firstSync(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            world.server.act { fill(&$0) }
            let report = try await world.sync()
            #expect(report.problems.isEmpty)
            #expect(report.added > 20)
            try await world.expectConverged()
        }
    }

    @Test("without changes no message data is requested", arguments: DialectProfile.all)
    func nothingNew(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            world.server.act { fill(&$0) }
            try await world.sync()
            world.server.clearTranscript()
            let report = try await world.sync()
            #expect(report.added + report.changed + report.removed == 0)
            #expect(world.bodyFetches.isEmpty)
            #expect(!world.server.transcript.isEmpty)
        }
    }

    @Test("a sync fetches new mail, changed marks and removals", arguments: DialectProfile.all)
    func changes(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            world.server.act { fill(&$0) }
            try await world.sync()
            world.server.act { model in
                let uids = model.messages("INBOX").map(\.uid)
                model.changeFlags([uids[0], uids[3]], in: "INBOX", add: ["\\Seen", "\\Flagged"])
                model.changeFlags([uids[1]], in: "INBOX", add: ["todo"], remove: ["\\Seen"])
                model.expunge([uids[4], uids[5], uids[uids.count - 1]], in: "INBOX")
                model.deliver(TestMail.plain("late-1"))
                model.deliver(TestMail.withAttachment("late-2"), flags: ["\\Seen"])
            }
            world.server.clearTranscript()
            let report = try await world.sync()
            #expect(report.added >= 2)
            #expect(report.changed >= 2)
            try await world.expectConverged()
        }
    }

    @Test("a second sync in one session finds a changed mailbox", arguments: DialectProfile.all)
    func manySyncs(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            for round in 1...4 {
                world.server.act { model in
                    model.deliver(TestMail.plain("round-\(round)"))
                    let uids = model.messages("INBOX").map(\.uid)
                    if round == 3 { model.expunge([uids[0]], in: "INBOX") }
                    if round == 4 { model.changeFlags([uids[0]], in: "INBOX", add: ["\\Answered"]) }
                }
                try await world.sync()
                #expect(try world.comparison().isEqual, "round \(round)")
            }
            try await world.expectConverged()
        }
    }

    @Test(
        "a sync fetches marks that another client set on a message that opus has just moved",
        arguments: DialectProfile.all)
    func markedAfterOurMove(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            world.server.act { model in
                fill(&model)
                model.deliver(Self.anonymous)
            }
            try await world.sync()
            let target = plainTarget(profile)
            try world.queue([try world.move("anonymous", to: try world.mailbox(target))])
            try await world.drain()
            world.server.act { model in
                guard let uid = model.messages(target).last?.uid else { return }
                model.changeFlags([uid], in: target, add: ["\\Seen"])
            }
            try await world.sync()
            try await world.expectConverged()
        }
    }

    /// Its header does not say which message it is.
    private static let anonymous = Array("Subject: anonymous\r\n\r\nThis is \r\n".utf8)

    @Test(
        "a message that another client moved is found in its new place, with the same id",
        arguments: DialectProfile.all)
    func movedElsewhere(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            world.server.act { fill(&$0) }
            try await world.sync()
            let before = try world.ids()
            let target = plainTarget(profile)
            world.server.act { model in
                model.move(model.messages("INBOX").prefix(3).map(\.uid), from: "INBOX", to: target)
            }
            try await world.sync()
            #expect(try world.ids() == before)
            try await world.expectConverged()
        }
    }

    @Test("a new UIDVALIDITY loses no message, and every message keeps its id", arguments: DialectProfile.all)
    func newUIDValidity(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            world.server.act { fill(&$0) }
            try await world.sync()
            let before = try world.ids()
            world.server.act { model in
                model.changeUIDValidity(of: "INBOX")
                model.deliver(TestMail.plain("after"))
            }
            await world.disconnect()
            let report = try await world.sync()
            #expect(report.rebound >= 20)
            let after = try world.ids()
            #expect(before.allSatisfy { after[$0.key] == $0.value })
            try await world.expectConverged()
        }
    }

    @Test("mailboxes created or removed elsewhere are added and removed", arguments: DialectProfile.all)
    func mailboxesChange(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            let name = profile.prefix + "Neu"
            world.server.act { model in
                model.create(name)
                model.deliver(TestMail.plain("in-new"), to: name)
            }
            try await world.sync()
            #expect(try world.comparison().isEqual)
            guard !profile.isGmail else { return }
            world.server.act { $0.delete(name) }
            try await world.sync()
            try await world.expectConverged()
        }
    }
}

/// A mailbox that nothing but a person's wish leads to.
func plainTarget(_ profile: DialectProfile) -> String {
    if profile.isGmail { return "Projekte" }
    return profile.prefix + "Archive"
}

/// Some mail in several mailboxes, of several kinds.
func fill(_ model: inout MailModel) {
    for number in 1...22 {
        let flags: Set<String> = number % 3 == 0 ? ["\\Seen"] : number % 7 == 0 ? ["\\Flagged", "todo"] : []
        let bytes =
            number % 5 == 0 ? TestMail.withAttachment("in-\(number)") : TestMail.plain("in-\(number)")
        model.deliver(bytes, flags: flags, date: 1_750_000_000 + Int64(number))
    }
    let others = model.mailboxes.filter {
        $0.isSelectable && $0.name != "INBOX" && !$0.attributes.contains("\\Flagged")
            && !$0.attributes.contains("\\All")
    }.map(\.name)
    for (index, name) in others.prefix(3).enumerated() {
        for number in 1...3 { model.deliver(TestMail.plain("other-\(index)-\(number)"), to: name) }
    }
}
