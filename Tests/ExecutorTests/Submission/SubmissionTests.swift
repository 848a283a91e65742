import MailStore
import Models
import Testing

@testable import Executor

/// At most once after the final dot, at least once before it.
@Suite("Submission")
struct SubmissionTests {
    /// A message that is sent on, its copy, and the mail that leaves the inbox afterwards.
    private func world(byHand: Bool = false) async throws -> DrainWorld {
        let world = try await DrainWorld(["m1"])
        let submission = world.submit("s1", for: "m1")
        try world.queue(
            byHand ? self.byHand(submission) : submission, world.append("s1", for: "m1", to: sent),
            world.move("m1"))
        return world
    }

    /// Its Message-ID is random, so no other machine sends the same mail.
    private func byHand(_ step: Step) -> Step {
        var step = step
        step.cause = .hand("send")
        return step
    }

    @Test("the copy and then the move follow the submission")
    func accepted() async throws {
        let world = try await world()
        let report = try await world.drain()
        #expect(report.confirmed.map(\.idempotencyKey) == ["submit s1", "append s1", "move m1"])
        #expect(try world.evidence("submit s1") == "250 queued")
        #expect(await world.submitter.delivered.count == 1)
        #expect(await world.subjects(sent) == ["s1"])
    }

    @Test("mail that was not sent is tried again", arguments: [false, true])
    func notSent(afterDot: Bool) async throws {
        let world = try await world()
        await world.submitter.answer(.refused(.notSent("452 later"), afterDot: afterDot))
        let first = try await world.drain()
        #expect(first.waiting.map(\.idempotencyKey) == ["submit s1", "append s1", "move m1"])
        #expect(await world.subjects(sent).isEmpty)
        try await world.drain()
        #expect(await world.submitter.delivered.count == 1)
        #expect(try world.journal().allSatisfy { $0.hasSuffix(": confirmed") })
    }

    @Test("a final refusal is reported, and the message stays")
    func rejected() async throws {
        let world = try await world()
        await world.submitter.answer(.refused(.rejected("550 no such user"), afterDot: false))
        let report = try await world.drain()
        #expect(report.rejected.first?.error == "550 no such user")
        try await world.drain()
        #expect(await world.submitter.tries == 1)
        #expect(try world.journal() == ["submit s1: rejected", "append s1: cancelled", "move m1: cancelled"])
        #expect(await world.subjects(inbox) == ["m1"])
        #expect(await world.subjects(sent).isEmpty)
    }

    @Test("after a crash, mail is sent once, after confirmation")
    func afterCrash() async throws {
        let world = try await world()
        // The run was killed in the middle of another step.
        try world.queue(world.mark("m1", add: [.flagged]))
        let mark = try world.store.journal.openSteps(of: work).first { $0.idempotencyKey.hasPrefix("mark") }
        try world.store.journal.markIssued([try #require(mark?.id)])
        try world.reopen()
        for _ in 1...2 { try await world.drain() }
        #expect(await world.submitter.tries == 0)
        #expect(try world.state("submit s1") == .planned)
        let planned = try world.store.journal.openSteps(of: work).filter { $0.state == .planned }
        try world.store.journal.approve(planned.compactMap(\.id))
        try await world.drain()
        #expect(await world.submitter.delivered.count == 1)
    }

    @Test("a refused recipient keeps the server's reply")
    func recipientsRefused() async throws {
        let world = try await world()
        let words = ["bob@x.example": "550 5.1.1 who is that?"]
        await world.submitter.answer(
            .refused(.recipientsRefused(words, reason: "refused bob@x.example"), afterDot: false))
        _ = try await world.drain()
        let submissions = try world.store.journal.submissions(of: work)
        #expect(submissions.map(\.step.outcome.recipients) == [words])
        #expect(submissions.map(\.step.state) == [.rejected])
    }

    @Test(
        "after a connection lost behind the final dot, mail is not sent again and the user decides",
        arguments: [false, true])
    func lostAfterDot(delivered: Bool) async throws {
        let world = try await world()
        await world.submitter.answer(.lost(delivered: delivered))
        let first = try await world.drain()
        #expect(first.waiting.map(\.state).first == .unknown)
        let report = try await world.drain()
        #expect(report.undecided.map(\.idempotencyKey) == ["submit s1"])
        for _ in 1...3 { try await world.drain() }
        #expect(await world.submitter.tries == 1)
        #expect(try world.state("submit s1") == .needsDecision)
        #expect(await world.subjects(inbox) == ["m1"])
        #expect(await world.subjects(sent).isEmpty)
    }

    @Test("a copy that the server filed in Sent proves the submission, and is not doubled")
    func foundInSent() async throws {
        let world = try await world(byHand: true)
        _ = await world.sink.put(.init(bytes: mail("s1")), in: sent.name)
        await world.submitter.answer(.lost(delivered: true))
        try await world.drain()
        #expect(try world.journal().allSatisfy { $0.hasSuffix(": confirmed") })
        #expect(await world.subjects(sent) == ["s1"])
        #expect(await world.submitter.tries == 1)
    }

    @Test("a mail of a rule that another machine sent since the last sync is not sent")
    func sentElsewhere() async throws {
        let world = try await world()
        _ = await world.sink.put(.init(bytes: mail("s1")), in: sent.name)
        let report = try await world.drain()
        #expect(await world.submitter.tries == 0)
        #expect(await world.subjects(sent) == ["s1"])
        #expect(try world.journal().allSatisfy { $0.hasSuffix(": confirmed") })
        #expect(report.done.map(\.idempotencyKey) == ["move m1"])
        // The copy there says nothing about the server.
        #expect(try world.store.accounts.sentCopyKeeper(of: work, route: "") == nil)
    }

    @Test(
        "an old mail of the user is not sent if Sent has the same mail, and is sent if the copy has another Date",
        arguments: [("Thu, 1 Jan 1970 00:00:00 +0000", 0), ("Thu, 1 Jan 1970 00:10:00 +0000", 1)])
    func restoredStore(date: String, tries: Int) async throws {
        let world = try await DrainWorld(["m1"])
        func dated(_ date: String) -> [UInt8] { Array("Date: \(date)\r\n".utf8) + mail("s1") }
        var submission = byHand(world.submit("s1", for: "m1"))
        submission.kind = .submit(
            reversePath: "me@example.org", forwardPaths: ["bob@acme.example"],
            message: dated("Thu, 1 Jan 1970 00:00:00 +0000"), token: token("s1"))
        try world.queue(submission)
        _ = await world.sink.put(.init(bytes: dated(date)), in: sent.name)
        try await world.drain()
        #expect(await world.submitter.tries == tries)
        #expect(try world.journal() == ["submit s1: confirmed"])
    }

    @Test("a mail of a rule that this store sent is sent again if it is requested again")
    func sentAgain() async throws {
        let world = try await world()
        try await world.drain()
        var again = world.submit("s1", for: "m1")
        again.idempotencyKey += " again"
        try world.queue(again)
        try await world.drain()
        #expect(await world.submitter.delivered.count == 2)
    }

    @Test("a search in Sent that the server refuses does not hold the mail of a rule back")
    func refusedSearch() async throws {
        let world = try await world()
        await world.sink.fail(.find, .before(.refused("NO")))
        try await world.drain()
        #expect(await world.submitter.delivered.count == 1)
    }

    @Test("the draft of a rule that another machine made is not made twice")
    func draftElsewhere() async throws {
        let world = try await DrainWorld(["m1"])
        _ = await world.sink.put(.init(bytes: mail("d1")), in: drafts.name)
        try world.queue(world.append("d1", for: "m1", to: drafts))
        let report = try await world.drain()
        #expect(await world.subjects(drafts) == ["d1"])
        #expect(report.alreadyDone == 1)
    }

    @Test("no copy is appended if the server files sent mail")
    func filedByServer() async throws {
        let world = try await world(byHand: true)
        _ = await world.sink.put(.init(bytes: mail("s1")), in: sent.name)
        try await world.drain()
        #expect(await world.subjects(sent) == ["s1"])
    }

    @Test(
        "opus waits longer for the copy of a server that filed an earlier one, and files it if the server has stopped"
    )
    func filingIsRemembered() async throws {
        let world = try await world(byHand: true)
        _ = await world.sink.put(.init(bytes: mail("s1")), in: sent.name)
        try await world.drain()
        for (name, looks) in [("s2", 4), ("s3", 1)] {
            await world.sink.forgetTroubles()
            try world.queue(byHand(world.submit(name, for: name)), world.append(name, for: name, to: sent))
            try await world.drain()
            #expect(await world.sink.log.filter { $0.hasPrefix("find") }.count == looks, "\(name)")
        }
        #expect(await world.subjects(sent) == ["s1", "s2", "s3"])
        // Other servers: found out again.
        await world.sink.forgetTroubles()
        try world.queue(byHand(world.submit("s4", for: "m4")), world.append("s4", for: "m4", to: sent))
        try await world.drain(route: "imap.other.example smtp.other.example")
        #expect(await world.sink.log.filter { $0.hasPrefix("find") }.count == 2)
        #expect(await world.subjects(sent) == ["s1", "s2", "s3", "s4"])
    }

    @Test("an older copy with the same Message-ID does not show that the server files sent mail")
    func olderCopy() async throws {
        let world = try await world(byHand: true)
        try await world.add(["s1"], to: sent)
        try await world.drain()
        #expect(await world.subjects(sent) == ["s1"])
        try world.queue(byHand(world.submit("s2", for: "m2")), world.append("s2", for: "m2", to: sent))
        try await world.drain()
        #expect(await world.subjects(sent) == ["s1", "s2"])
    }

    @Test(
        "on a server that does not file sent mail, opus searches for the first copy twice and for later ones once"
    )
    func filingIsOurs() async throws {
        let world = try await world(byHand: true)
        for (name, looks) in [("s1", 2), ("s2", 1)] {
            if name != "s1" {
                try world.queue(
                    byHand(world.submit(name, for: name)), world.append(name, for: name, to: sent))
            }
            await world.sink.forgetTroubles()
            try await world.drain()
            #expect(await world.sink.log.filter { $0.hasPrefix("find") }.count == looks, "\(name)")
        }
        #expect(await world.subjects(sent) == ["s1", "s2"])
    }

    struct Kill: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let afterDot: Bool
        let delivered: Bool
        let isInSent: Bool
        let tries: Int
        let state: Step.State
    }

    @Test(
        "a crash while sending leaves the mail undecided or unsent",
        arguments: [
            Kill(
                testDescription: "before the dot: it waits for a word", afterDot: false, delivered: false,
                isInSent: false, tries: 1, state: .planned),
            Kill(
                testDescription: "after the dot, taken: not sent again", afterDot: true, delivered: true,
                isInSent: false, tries: 1, state: .needsDecision),
            Kill(
                testDescription: "after the dot, not taken: not sent again", afterDot: true, delivered: false,
                isInSent: false, tries: 1, state: .needsDecision),
            Kill(
                testDescription: "after the dot, found in Sent: confirmed", afterDot: true, delivered: true,
                isInSent: true, tries: 1, state: .confirmed),
        ])
    func killed(_ row: Kill) async throws {
        let world = try await world()
        await world.submitter.answer(
            .killed(afterDot: row.afterDot, delivered: row.delivered, kill: world.kill))
        await #expect(throws: MailStoreError.self) { try await world.drain() }
        if row.isInSent { _ = await world.sink.put(.init(bytes: mail("s1")), in: sent.name) }
        try world.reopen()
        for _ in 1...3 { try await world.drain() }
        #expect(await world.submitter.tries == row.tries)
        #expect(await world.submitter.delivered.count <= 1)
        #expect(try world.state("submit s1") == row.state)
    }

    @Test(
        "if the search for the copy fails, mail is not sent again",
        arguments: [SinkError.refused("NO busy"), .unsupported("no SEARCH"), .lost("closed")])
    func searchFails(_ error: SinkError) async throws {
        let world = try await world()
        await world.submitter.answer(.killed(afterDot: true, delivered: true, kill: world.kill))
        await #expect(throws: MailStoreError.self) { try await world.drain() }
        try world.reopen()
        await world.sink.fail(.find, .before(error), times: 2)
        for _ in 1...4 { try await world.drain() }
        #expect(await world.submitter.tries == 1)
        #expect(try world.state("submit s1") == .needsDecision)
    }

    @Test("if the server refuses the search for a day, the user decides")
    func searchRefused() async throws {
        let world = try await world()
        await world.submitter.answer(.lost(delivered: true))
        await world.sink.fail(.find, .before(.refused("NO busy")), times: 1_000)
        try await world.drain(at: 10_000)
        for hour: Int64 in 1...23 {
            try await world.drain(at: 10_000 + 3_600 * hour)
            #expect(try world.state("submit s1") == .unknown)
        }
        try await world.drain(at: 10_000 + 86_400)
        #expect(try world.state("submit s1") == .needsDecision)
        #expect(await world.submitter.tries == 1)
    }

    @Test("a copy that appears in Sent within ten minutes proves the submission")
    func lateCopy() async throws {
        let world = try await world()
        await world.submitter.answer(.lost(delivered: true))
        try await world.drain(at: 10_000)
        try await world.drain(at: 10_599)
        #expect(try world.state("submit s1") == .unknown)
        _ = await world.sink.put(.init(bytes: mail("s1")), in: sent.name)
        try await world.drain(at: 10_600)
        #expect(try world.state("submit s1") == .confirmed)
        #expect(await world.submitter.tries == 1)
    }

    @Test(
        "a copy with another Message-ID is found by the original Message-ID in another field",
        arguments: ["X-Google-Original-Message-ID", "X-Microsoft-Original-Message-ID"])
    func originalID(_ field: String) async throws {
        let world = try await world()
        await world.submitter.answer(.lost(delivered: true))
        let copy = "Message-ID: <theirs@y>\r\n\(field): <s1@x>\r\nSubject: s1\r\n\r\nHello.\r\n"
        _ = await world.sink.put(.init(bytes: Array(copy.utf8)), in: sent.name)
        try await world.drain()
        #expect(try world.state("submit s1") == .confirmed)
    }

    @Test("a copy without the Message-ID is found by the mark of opus in the header")
    func ownMark() async throws {
        let world = try await DrainWorld()
        let kind = Step.Kind.submit(
            reversePath: "me@example.org", forwardPaths: ["bob@acme.example"],
            message: Array("X-Opus-Action: 4f2a\r\n".utf8) + mail("s1"), token: token("s1"))
        try world.queue(world.step("submit s1", nil, kind))
        await world.submitter.answer(.lost(delivered: true))
        let copy = "Message-ID: <theirs@y>\r\nX-Opus-Action: 4f2a\r\nSubject: s1\r\n\r\nHello.\r\n"
        _ = await world.sink.put(.init(bytes: Array(copy.utf8)), in: sent.name)
        try await world.drain()
        #expect(try world.state("submit s1") == .confirmed)
    }

    @Test("a copy whose Message-ID only ends like the original proves nothing")
    func similarID() async throws {
        let world = try await world()
        await world.submitter.answer(.lost(delivered: true))
        let other = "Message-ID: <xs1@x>\r\nSubject: other\r\n\r\nHello.\r\n"
        _ = await world.sink.put(.init(bytes: Array(other.utf8)), in: sent.name)
        for _ in 1...2 { try await world.drain() }
        #expect(try world.state("submit s1") == .needsDecision)
    }

    @Test("mail whose second attempt crashed before the dot is sent after confirmation")
    func refusedThenKilled() async throws {
        let world = try await world()
        await world.submitter.answer(
            .refused(.notSent("452 later"), afterDot: true),
            .killed(afterDot: false, delivered: false, kill: world.kill))
        try await world.drain()
        await #expect(throws: MailStoreError.self) { try await world.drain() }
        try world.reopen()
        let held = try await world.drain()
        #expect(held.failures.isEmpty)
        #expect(held.later.map(\.idempotencyKey) == ["submit s1", "append s1", "move m1"])
        #expect(try world.state("submit s1") == .planned)
        try world.store.journal.approve(
            try world.store.journal.openSteps(of: work).prefix(1).compactMap(\.id))
        try await world.drain()
        #expect(await world.submitter.delivered.count == 1)
        #expect(try world.state("submit s1") == .confirmed)
    }

    @Test("mail waits if the account cannot send")
    func noSubmitter() async throws {
        let world = try await world()
        for _ in 1...7 { try await world.drain(sending: false) }
        #expect(try world.state("submit s1") == .ready)
        try await world.drain()
        #expect(await world.submitter.delivered.count == 1)
    }
}
