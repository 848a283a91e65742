import DialectServer
import Models
import Synchronization
import Testing

@testable import Executor
@testable import MailStore

/// Thousands of steps are a handful of commands, and of waits for the disk.
@Suite("Batches")
struct BatchTests {
    @Test("six thousand moves are at most twenty commands and seventeen transactions")
    func moves() async throws {
        try await SinkWorld.with(.dovecot) { world in
            let names = (1...6_000).map { "m\($0)" }
            let keys = try world.deliver(names)
            let archive = mailbox("Archive", .archive)
            try world.queue(
                zip(names, keys).map { name, key in
                    Step(
                        idempotencyKey: "move \(name)", message: EmailID(rawValue: name),
                        cause: .rule("test"),
                        kind: .move(key, to: archive))
                })
            world.server.clearTranscript()
            let before = world.store.file.commits.load(ordering: .relaxed)
            let report = try await world.drain()
            let commits = world.store.file.commits.load(ordering: .relaxed) - before
            let heard = world.server.transcript.map(\.name)
            #expect(report.confirmed.count == 6_000)
            #expect(heard.count <= 20, "\(heard)")
            #expect(heard.count { $0 == "UID MOVE" } == 6)
            #expect(commits <= 17, "recovery, the beginning and the end of the run, and two a group")
            #expect(world.server.model.messages("Archive").count == 6_000)
            #expect(try world.store.sync.placements(of: work, mailbox: archive.name).count == 6_000)
        }
    }
}
