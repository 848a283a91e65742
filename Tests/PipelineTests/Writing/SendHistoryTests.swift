import Models
import Rules
import Testing

@testable import Pipeline

/// What counts against the caps of `send:`: mail that left within the hour, or that is about to.
@Suite("Send history")
struct SendHistoryTests {
    private func history(_ session: Session) -> SendHistory { session.sending.sendHistory }

    private func working(_ end: String = "exit 0") throws -> Workplace {
        let work = try Workplace()
        try work.sendsMail(end)
        return work
    }

    @Test("a mail counts for an hour, for each recipient, and a held mail counts too")
    func hour() async throws {
        let work = try working()
        try await work.with { session in
            try await session.send(
                try await session.written(to: ["Bob@acme.example", "carl@acme.example"]))
            let held = try await session.written()
            _ = try session.sending.queue([try session.sending.preview(held.stored)], hold: 600)
            let allowance = try history(session).allowance()
            #expect(allowance.sent == 2)
            #expect(allowance.sentTo == ["bob@acme.example": 2, "carl@acme.example": 1])
        }
        for (seconds, count) in [(Int64(3_600), 2), (3_601, 0)] {
            try await work.with(at: Workplace.tuesday + seconds) { session in
                let sent = try history(session).recentlySent()
                #expect(sent.count == count, "\(seconds)")
            }
        }
    }

    @Test("a refused or discarded mail does not count, one that may have been sent does")
    func states() async throws {
        for (end, count) in [("exit 67", 0), ("kill -KILL $$", 1), ("exit 75", 1)] {
            let work = try working(end)
            try await work.with { session in
                try await session.send(try await session.written())
                let sent = try history(session).recentlySent()
                #expect(sent.count == count, "\(end)")
            }
        }
        let work = try working()
        try await work.with { session in
            let draft = try await session.written()
            _ = try session.sending.queue([try session.sending.preview(draft.stored)], hold: 60)
            try session.outbox.discard(try #require(try session.outbox.list(account: nil).first))
            #expect(try history(session).recentlySent().isEmpty)
        }
    }

    @Test("a mail queued in the future by a wrong clock does not count")
    func wrongClock() async throws {
        let work = try working()
        try await work.with(at: Workplace.tuesday + 365 * Workplace.day) { session in
            try await session.send(try await session.written())
        }
        try await work.with { session in
            let sent = try history(session).recentlySent()
            #expect(sent.isEmpty)
        }
    }

    @Test("rules may send only if the workspace allows it")
    func allowed() async throws {
        let work = try working()
        try await work.with { session in
            let isAllowed = try history(session).allowance().isAllowed
            #expect(!isAllowed)
        }
        try work.configure("allow-send: true")
        try await work.with { session in
            let isAllowed = try history(session).allowance().isAllowed
            #expect(isAllowed)
        }
    }
}
