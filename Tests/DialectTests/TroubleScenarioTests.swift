import DialectServer
import Models
import Testing

/// Every dialect through what goes wrong in the middle of a sync.
@Suite struct TroubleScenarioTests {
    @Test("a connection lost after any response loses no mail", arguments: DialectProfile.all)
    func killedAnywhere(_ profile: DialectProfile) async throws {
        let total = try await responsesOfFirstSync(profile)
        try await withWorld(profile) { world in
            for count in stride(from: 1, through: total, by: max(1, total / 12)) {
                let alone = DialectWorld(
                    AccountID("kill\(count)"), at: world.server, store: world.store, tasks: world.tasks)
                world.server.reset(to: profile)
                world.server.act { few(&$0) }
                world.server.closeAfterResponses(count)
                _ = try? await alone.sync()
                world.server.disarm()
                await alone.disconnect()
                try await alone.sync()
                try await alone.expectConverged()
                await alone.disconnect()
            }
        }
    }

    private func responsesOfFirstSync(_ profile: DialectProfile) async throws -> Int {
        let world = try await DialectWorld(profile)
        world.server.act { few(&$0) }
        try await world.sync()
        let total = world.server.responsesSent
        await world.close()
        return total
    }

    @Test("VANISHED for messages that still exist is ignored", arguments: DialectProfile.all)
    func lyingVanished(_ profile: DialectProfile) async throws {
        for count in [8, 70] {
            try await withWorld(profile) { world in
                world.server.act { model in
                    for number in 1...count { model.deliver(TestMail.plain("in-\(number)")) }
                }
                try await world.sync()
                world.server.act { model in
                    model.changeFlags([1], in: "INBOX", add: ["\\Flagged"])
                    model.deliver(TestMail.plain("late"))
                }
                world.server.arm(Fault(.lyingVanished, at: "EXAMINE"))
                let report = try await world.sync()
                #expect(report.removed == 0)
                world.server.disarm()
                try await world.expectConverged()
            }
        }
    }

    @Test(
        "a message that cannot be read is reported, tried again, and does not hold up others",
        arguments: DialectProfile.all)
    func unreadable(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            world.server.act { model in
                fill(&model)
                model.setReadable(false, uid: 4, in: "INBOX")
            }
            let first = try await world.sync()
            #expect(!first.problems.isEmpty)
            let ids = try world.ids()
            #expect(ids["in-4"] == nil)
            #expect(ids["in-3"] != nil)
            #expect(ids["in-22"] != nil)
            world.server.act { $0.setReadable(true, uid: 4, in: "INBOX") }
            let second = try await world.sync()
            #expect(second.problems.isEmpty)
            try await world.expectConverged()
        }
    }

    @Test(
        "a mailbox that cannot be opened is reported, and the others are synced",
        arguments: DialectProfile.all)
    func closedMailbox(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            let name = plainTarget(profile)
            world.server.act { model in
                fill(&model)
                model.deliver(TestMail.plain("behind"), to: name)
                model.setRefusesSelect(true, name)
            }
            let first = try await world.sync()
            #expect(first.problems.count == 1)
            #expect(try world.ids()["in-1"] != nil)
            world.server.act { $0.setRefusesSelect(false, name) }
            try await world.sync()
            try await world.expectConverged()
        }
    }

    @Test(
        "strange but harmless answers change nothing", arguments: DialectProfile.all,
        ["garbage", "twice", "backwards", "unasked"])
    func strangeAnswers(_ profile: DialectProfile, _ kind: String) async throws {
        let effects: [String: Fault.Effect] = [
            "garbage": .garbage, "twice": .duplicateFetch, "backwards": .reverseFetch,
            "unasked": .untagged([
                "* 1 FETCH (FLAGS (\\Seen))", "* OK still here", "* FLAGS (\\Seen)", "* XYZZY (a (b))",
                "* CAPABILITY \(profile.offeredAfter.joined(separator: " "))",
            ]),
        ]
        let effect = try #require(effects[kind])
        try await withWorld(profile) { world in
            world.server.act { fill(&$0) }
            for command in ["EXAMINE", "UID FETCH", "LIST", "STATUS", "UID SEARCH"] {
                world.server.arm(Fault(effect, at: command, count: 2))
            }
            _ = try await world.sync()
            world.server.disarm()
            try await world.sync()
            try await world.sync(later: DialectWorld.aDay)
            try await world.expectConverged()
        }
    }

    @Test(
        "after NO, BAD or BYE to any command, later syncs fetch everything", arguments: DialectProfile.all,
        ["NO", "BAD", "BYE"])
    func refusals(_ profile: DialectProfile, _ word: String) async throws {
        let effect: Fault.Effect = word == "BYE" ? .bye : .refuse(status: word, code: nil)
        try await withWorld(profile) { world in
            world.server.act { few(&$0) }
            try await world.sync()
            for command in ["EXAMINE", "UID FETCH", "LIST", "STATUS"] {
                world.server.act { model in
                    model.deliver(TestMail.plain("before-\(command)"))
                    model.changeFlags([1], in: "INBOX", add: ["\\Seen"])
                }
                world.server.arm(Fault(effect, at: command))
                _ = try? await world.sync()
                world.server.disarm()
                try await world.sync()
                try await world.sync(later: DialectWorld.aDay)
                let comparison = try world.comparison()
                #expect(comparison.isEqual, "\(profile) \(command): \(comparison)")
            }
            try await world.expectConverged()
        }
    }
}

/// Little mail, for what is done often.
func few(_ model: inout MailModel) {
    for number in 1...4 {
        model.deliver(TestMail.plain("in-\(number)"), flags: number == 2 ? ["\\Seen"] : [])
    }
    let other = model.isGmailAccount ? "Projekte" : model.mailboxes[1].name
    for number in 1...2 { model.deliver(TestMail.plain("other-\(number)"), to: other) }
}
