import DialectServer
import MailStore
import Models
import Testing

/// Every dialect through what we do ourselves: marks and moves, with evidence, and only once.
@Suite struct SinkScenarioTests {
    @Test("marks are set with proof, and setting them again sends no command", arguments: DialectProfile.all)
    func marks(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            world.server.act { fill(&$0) }
            try await world.sync()
            try world.queue([
                try world.mark("in-1", add: [.seen, .flagged]),
                try world.mark("in-3", remove: [.seen]),
            ])
            let report = try await world.drain()
            #expect(report.confirmed.count == 2, "\(report.failures)")
            #expect(try world.evidence().allSatisfy { !$0.isEmpty })
            #expect(marks(of: "in-1", world).isSuperset(of: ["\\Seen", "\\Flagged"]))
            #expect(!marks(of: "in-3", world).contains("\\Seen"))
            try world.queue([try world.mark("in-1", add: [.seen, .flagged])])
            world.server.clearTranscript()
            #expect(try await world.drain().confirmed.count == 1)
            #expect(!world.server.transcript.contains { $0.name == "UID STORE" })
            // On Gmail, a message is in two places with one set of marks: the sync reports the other one.
            try await world.sync()
            try await world.expectConverged()
        }
    }

    @Test("a label is set, and the next sync reads it", arguments: DialectProfile.all)
    func labels(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            world.server.act { fill(&$0) }
            try await world.sync()
            try world.queue([try world.mark("in-2", words: [Keyword("waiting")])])
            let report = try await world.drain()
            #expect(report.confirmed.count == 1, "\(report.failures)")
            try await world.sync()
            try await world.expectConverged()
        }
    }

    @Test("an archived message is in the archive once", arguments: DialectProfile.all)
    func archive(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            world.server.act { fill(&$0) }
            try await world.sync()
            let ids = try world.ids()
            let archive = try archiveMailbox(world)
            try world.queue(["in-1", "in-5"].map { try world.move($0, to: archive) })
            let report = try await world.drain()
            guard canMove(profile) else {
                #expect(report.rejected.count == 2, "a server that proves nothing is not asked to move")
                return try await world.expectConverged()
            }
            #expect(report.confirmed.count == 2, "\(report.failures)")
            #expect(try world.evidence().allSatisfy { !$0.isEmpty })
            for name in ["in-1", "in-5"] {
                #expect(places(of: name, world) == [archive.name.description])
            }
            try await world.sync()
            let after = try world.ids()
            #expect(ids.allSatisfy { after[$0.key] == $0.value || profile.isGmail })
            try await world.expectConverged()
        }
    }

    @Test("header fields that the server adds do not make another message", arguments: DialectProfile.all)
    func rewrittenFields(_ profile: DialectProfile) async throws {
        guard canMove(profile) else { return }
        try await withWorld(profile) { world in
            world.server.act { fill(&$0) }
            try await world.sync()
            world.server.act { $0.rewriteHeaders("Status: RO\r\nX-UID: 7\r\nX-Keywords: Junk\r\n") }
            let target = try world.mailbox(plainTarget(profile))
            try world.queue([
                try world.mark("in-1", add: [.flagged]), try world.move("in-2", to: target),
            ])
            let report = try await world.drain()
            #expect(report.confirmed.count == 2, "\(report.failures)")
            try await world.sync(later: DialectWorld.aDay)
            #expect(try world.ids().allSatisfy { $0.value.count == 1 })
            try await world.expectConverged()
        }
    }

    @Test("a second drain moves nothing", arguments: DialectProfile.all)
    func movesOnce(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            world.server.act { fill(&$0) }
            try await world.sync()
            let target = try world.mailbox(plainTarget(profile))
            let step = try world.move("in-2", to: target)
            try world.queue([step])
            _ = try await world.drain()
            let before = world.server.model.mailboxes.map(\.messages)
            try world.queue([step])
            let second = try await world.drain()
            #expect(second.confirmed.isEmpty || !canMove(profile))
            #expect(world.server.model.mailboxes.map(\.messages) == before)
            try await world.sync()
            try await world.expectConverged()
        }
    }

    @Test(
        "a message moves to the trash, on Gmail too", arguments: DialectProfile.all
    )
    func trash(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            world.server.act { fill(&$0) }
            try await world.sync()
            let trash = try #require(
                try world.store.sync.mailboxes(of: world.account).first { $0.role == .trash })
            try world.queue([try world.move("in-1", to: trash)])
            // Gmail ends the connection when something goes to the trash: the second look finds it there.
            var confirmed = 0
            for _ in 1...3 { confirmed += try await world.drain().confirmed.count }
            #expect(confirmed == (canMove(profile) ? 1 : 0))
            if canMove(profile) { #expect(places(of: "in-1", world) == [trash.name.description]) }
            try await world.sync()
            try await world.expectConverged()
        }
    }

    @Test(
        "a connection that is lost in the middle of a move leaves one message",
        arguments: DialectProfile.all, LostMoment.allCases)
    func lostInMove(_ profile: DialectProfile, _ moment: LostMoment) async throws {
        guard canMove(profile) else { return }
        try await withWorld(profile) { world in
            world.server.act { fill(&$0) }
            try await world.sync()
            let target = try world.mailbox(plainTarget(profile))
            try world.queue([try world.move("in-2", to: target)])
            let command = profile.offers("MOVE") ? "UID MOVE" : "UID COPY"
            world.server.arm(Fault(moment.effect, at: command))
            let first = try await world.drain()
            #expect(first.confirmed.isEmpty)
            #expect(first.interruption != nil)
            let second = try await world.drain()
            try await world.sync()
            // Copied and not removed: both are the same to the last octet, so the original goes.
            #expect(second.confirmed.count == 1, "\(second.failures)")
            #expect(places(of: "in-2", world) == [target.name.description])
            try await world.expectConverged()
        }
    }

    private func marks(of subject: String, _ world: DialectWorld) -> Set<String> {
        Set(
            world.server.model.places(in: ["INBOX"]).filter { $0.subject == subject }.flatMap(\.marks).map {
                $0.hasPrefix("\\") ? "\\" + $0.dropFirst().prefix(1).uppercased() + $0.dropFirst(2) : $0
            })
    }
}

/// Where a message stands on the server. On Gmail what is nowhere else is in All Mail, and that is where it counts.
func places(of subject: String, _ world: DialectWorld) -> [String] {
    let model = world.server.model
    let all = model.mailboxes.filter(\.isSelectable).map(\.name)
    let found = model.places(in: Set(all)).filter { $0.subject == subject }.map(\.mailbox)
    let views = Set(model.mailboxes.filter { $0.attributes.contains("\\All") }.map(\.name))
    let outside = found.filter { !views.contains($0) }
    return (outside.isEmpty ? found : outside).sorted()
}

/// Whether the server has what a move can be proven with.
func canMove(_ profile: DialectProfile) -> Bool {
    profile.offers("MOVE") || (profile.offers("UIDPLUS") && !profile.refusesUIDExpunge)
}

/// The archive: on Gmail the mailbox of everything.
func archiveMailbox(_ world: DialectWorld) throws -> Mailbox {
    let mailboxes = try world.store.sync.mailboxes(of: world.account)
    let found = mailboxes.first { $0.role == .archive } ?? mailboxes.first { $0.role == .all }
    return try #require(found, "no archive at \(world.server.profile)")
}

/// When a connection is lost.
enum LostMoment: CaseIterable, Sendable {
    case before
    case afterDoing
    case beforeTheEnd

    var effect: Fault.Effect {
        switch self {
        case .before: .closeBeforeReply
        case .afterDoing: .closeAfterDoing
        case .beforeTheEnd: .closeBeforeEnd
        }
    }
}
