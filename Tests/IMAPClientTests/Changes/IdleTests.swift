import IMAPProtocol
import TestSupport
import Testing

@testable import IMAPClient

@Suite(.timeLimit(.minutes(5))) struct IdleTests {
    static let known = KnownNumbers(exists: 3, uidValidity: 77, uidNext: 10)

    /// EXAMINE with that tag, and what it shows.
    static func examined(_ tag: String, exists: Int = 3, uidNext: Int = 10) -> [Line] {
        [
            .client("\(tag) EXAMINE INBOX"),
            .server("* \(exists) EXISTS"),
            .server("* OK [UIDVALIDITY 77] valid"),
            .server("* OK [UIDNEXT \(uidNext)] next"),
            .server("\(tag) OK [READ-ONLY] done"),
        ]
    }

    static func idling(_ tag: String) -> [Line] { [.client("\(tag) IDLE"), .server("+ idling")] }
    static func ended(_ tag: String) -> [Line] { [.client("DONE"), .server("\(tag) OK done")] }

    private func wait(
        _ client: IMAPConnection, _ known: KnownNumbers = known, seen: KnownNumbers? = nil,
        limit: Duration? = nil, clock: TestClock = TestClock()
    ) async throws -> IdleEnd {
        var timing = IdleTiming(limit: limit)
        timing.silence = .seconds(300)
        return try await client.changes.wait(
            in: bytes("INBOX"), known: known, seen: seen, timing: timing, clock: clock
        ).end
    }

    @Test(
        "a report of the server during IDLE ends the wait",
        arguments: [
            "* 4 EXISTS", "* 1 EXPUNGE", "* VANISHED 5", #"* 2 FETCH (UID 7 FLAGS (\Seen))"#, "* 9 FETCH (",
        ])
    func change(_ news: String) async throws {
        try await talk(
            .login("IMAP4rev1 IDLE") + Self.examined("A4") + Self.idling("A5")
                + [.server("* OK Still here"), .server("* 3 EXISTS"), .server(news)] + Self.ended("A5")
                + [.client("A6 NOOP"), .server("A6 OK done")]
        ) { client in
            #expect(try await wait(client) == .changed)
            try await client.noop()
        }
    }

    @Test(
        "a mailbox that has changed since the known numbers ends the wait before IDLE",
        arguments: [
            KnownNumbers(exists: 2), KnownNumbers(uidNext: 9), KnownNumbers(uidValidity: 76),
            KnownNumbers(exists: 3, uidNext: 11),
        ])
    func before(_ known: KnownNumbers) async throws {
        try await talk(.login("IMAP4rev1 IDLE") + Self.examined("A4")) { client in
            let end = try await wait(client, known)
            #expect(end == .changed)
        }
    }

    @Test("changes since the last sync end the wait at once, earlier ones do not")
    func seen() async throws {
        let stale = KnownNumbers(exists: 2, uidNext: 9)
        try await talk(.login("IMAP4rev1 IDLE") + Self.examined("A4")) { client in
            let end = try await wait(client, stale, seen: KnownNumbers(exists: 1))
            #expect(end == .changed)
        }
        try await talk(
            .login("IMAP4rev1 IDLE") + Self.examined("A4") + Self.idling("A5") + [.server("* 4 EXISTS")]
                + Self.ended("A5")
        ) { client in
            let waited = try await client.changes.wait(
                in: bytes("INBOX"), known: stale, seen: Self.known, clock: TestClock())
            #expect(waited.end == .changed)
            #expect(waited.seen?.exists == 3 && waited.seen?.uidNext == 10, "as it was at the look")
        }
    }

    @Test("mail that comes between EXAMINE and the start of IDLE is not missed")
    func between() async throws {
        try await talk(
            .login("IMAP4rev1 IDLE") + Self.examined("A4")
                + [.client("A5 IDLE"), .server("* 4 EXISTS"), .server("+ idling")] + Self.ended("A5")
        ) { client in
            let end = try await wait(client)
            #expect(end == .changed)
        }
    }

    @Test("IDLE is renewed after 25 minutes, and the mailbox is checked in between")
    func renewal() async throws {
        let clock = TestClock()
        let alive = Counter()
        let life = (1...6).flatMap { count in
            [.wait(alive, count), .server("* OK Still here")] as [Line]
        }
        try await talk(
            .login("IMAP4rev1 IDLE") + Self.examined("A4") + Self.idling("A5") + life + Self.ended("A5")
                + Self.examined("A6", exists: 4, uidNext: 11)
        ) { client in
            async let end = wait(client, clock: clock)
            for minute in stride(from: 0, to: 24, by: 4) {
                // Whatever is heard puts the question off whether the peer lives.
                try await clock.advance(by: .seconds(240), onceSleepingUntil: .seconds(60 * (minute + 5)))
                alive.increment()
            }
            try await clock.advance(by: .zero, onceSleepingUntil: .seconds(25 * 60))
            try await clock.advance(by: .seconds(60))
            #expect(try await end == .changed)
        }
    }

    @Test("a silent server is checked after 5 minutes, and IDLE continues")
    func silence() async throws {
        let clock = TestClock()
        try await talk(
            .login("IMAP4rev1 IDLE") + Self.examined("A4") + Self.idling("A5") + Self.ended("A5")
                + [.client("A6 NOOP"), .server("A6 OK done")] + Self.idling("A7")
                + [.server("* 4 EXISTS")] + Self.ended("A7")
        ) { client in
            async let end = wait(client, clock: clock)
            try await clock.advance(by: .seconds(300))
            #expect(try await end == .changed)
        }
    }

    @Test("a server that does not reply to DONE in time is lost")
    func dead() async throws {
        let clock = TestClock()
        try await talk(
            .login("IMAP4rev1 IDLE") + Self.examined("A4") + Self.idling("A5") + [.client("DONE")]
        ) { client in
            var timing = IdleTiming()
            timing.patience = .seconds(2)
            let short = timing
            let wait = Task {
                try await client.changes.wait(
                    in: bytes("INBOX"), known: Self.known, timing: short, clock: clock)
            }
            try await clock.advance(by: .seconds(300))
            await #expect(throws: IMAPClientError.self) { try await wait.value }
            #expect(await !client.isAlive)
        }
    }

    @Test("a dead connection is noticed within 90 seconds")
    func noticed() {
        let timing = IdleTiming()
        #expect(timing.silence + timing.patience <= .seconds(90))
    }

    @Test("after a connection was cut during silence, later waits are shorter for two hours")
    func learned() {
        let start = ContinuousClock.now
        var limit = SilenceLimit()
        #expect(limit.current(at: start) == nil)
        limit.learn(.seconds(8), at: start)
        #expect(limit.current(at: start) == .seconds(6))
        #expect(limit.timing(limit: nil).silence == .seconds(6))
        // A cut at once says nothing of silence, and a later one than is known nothing new.
        limit.learn(.milliseconds(100), at: start)
        limit.learn(.seconds(20), at: start)
        #expect(limit.current(at: start) == .seconds(6))
        #expect(limit.current(at: start + .seconds(7_200)) == nil)
    }

    @Test("a wait ends after its limit, and the connection stays usable")
    func limit() async throws {
        let clock = TestClock()
        try await talk(
            .login("IMAP4rev1 IDLE") + Self.examined("A4") + Self.idling("A5") + Self.ended("A5")
        ) { client in
            async let end = wait(client, limit: .seconds(60), clock: clock)
            try await clock.advance(by: .seconds(60))
            #expect(try await end == .timedOut)
            #expect(await client.isAlive)
        }
    }

    @Test("a cancelled wait sends DONE, and the connection stays usable")
    func cancellation() async throws {
        let idling = Counter()
        try await talk(
            .login("IMAP4rev1 IDLE") + Self.examined("A4") + Self.idling("A5") + [.count(idling)]
                + Self.ended("A5") + [.client("A6 NOOP"), .server("A6 OK done")]
        ) { client in
            let task = Task { try await wait(client) }
            while idling.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
            task.cancel()
            #expect(try await task.value == .stopped)
            try await client.noop()
        }
    }

    @Test("a server that is lost in IDLE is an error")
    func lost() async throws {
        try await talk(.login("IMAP4rev1 IDLE") + Self.examined("A4") + Self.idling("A5") + [.hangUp]) {
            client in
            await #expect(throws: IMAPClientError.self) { try await wait(client) }
            #expect(await !client.isAlive)
        }
        try await talk(
            .login("IMAP4rev1 IDLE") + Self.examined("A4") + Self.idling("A5") + [.server("* BYE go")]
        ) { client in
            await #expect(throws: IMAPClientError.bye("go")) { try await wait(client) }
        }
    }

    @Test("a server that lacks or does not know IDLE is polled with NOOP", arguments: [false, true])
    func polling(isRefused: Bool) async throws {
        let clock = TestClock()
        let refusal: [Line] = isRefused ? [.client("A5 IDLE"), .server("A5 BAD what")] : []
        let tags = isRefused ? ["A6", "A7"] : ["A5", "A6"]
        try await talk(
            .login(isRefused ? "IMAP4rev1 IDLE" : "IMAP4rev1") + Self.examined("A4") + refusal + [
                .client("\(tags[0]) NOOP"), .server("\(tags[0]) OK done"),
                .client("\(tags[1]) NOOP"), .server("* 4 EXISTS"), .server("\(tags[1]) OK done"),
            ]
        ) { client in
            async let end = wait(client, clock: clock)
            try await clock.advance(by: .seconds(180))
            try await clock.advance(by: .seconds(180))
            #expect(try await end == .changed)
        }
    }

    @Test("a server that refuses IDLE once is checked with NOOP once, and then asked for IDLE again")
    func refusedOnce() async throws {
        let clock = TestClock()
        try await talk(
            .login("IMAP4rev1 IDLE") + Self.examined("A4") + [
                .client("A5 IDLE"), .server("A5 NO [LIMIT] not now"), .client("A6 NOOP"),
                .server("A6 OK done"),
                .client("A7 IDLE"), .server("+ idling"), .server("* 4 EXISTS"), .client("DONE"),
                .server("A7 OK done"),
            ]
        ) { client in
            async let end = wait(client, clock: clock)
            try await clock.advance(by: .seconds(180))
            #expect(try await end == .changed)
        }
    }

    @Test("a server that shows new mail only to a new EXAMINE is polled with EXAMINE")
    func courier() async throws {
        let clock = TestClock()
        let login = [Line].login().map { line in
            guard case .server("* OK ready") = line else { return line }
            return .server("* OK Courier-IMAP ready")
        }
        try await talk(login + Self.examined("A4") + Self.examined("A5", exists: 4)) { client in
            async let end = wait(client, clock: clock)
            try await clock.advance(by: .seconds(180))
            #expect(try await end == .changed)
        }
    }

    @Test("with NOTIFY, a change of another mailbox ends the wait")
    func notify() async throws {
        try await talk(
            .login("IMAP4rev1 IDLE NOTIFY") + [
                .client(
                    "A4 NOTIFY SET STATUS (SELECTED (MessageNew MessageExpunge FlagChange)) "
                        + "(PERSONAL (MessageNew MessageExpunge FlagChange MailboxName))"),
                .server("* STATUS Work (MESSAGES 1 UIDNEXT 2 UIDVALIDITY 1)"),
                .server("A4 OK done"),
            ] + Self.examined("A5") + Self.idling("A6")
                + [.server("* STATUS Work (MESSAGES 2 UIDNEXT 3 UIDVALIDITY 1)")] + Self.ended("A6")
        ) { client in
            let numbers = try await client.changes.notify()
            #expect(numbers.map(\.name) == [bytes("Work")])
            #expect(try await wait(client) == .changedElsewhere([bytes("Work")]))
        }
        try await talk(.login()) { client in
            #expect(await !client.reportsOtherMailboxes)
            await #expect(throws: IMAPClientError.missingCapability(.notify)) {
                try await client.changes.notify()
            }
        }
    }

    @Test("changes of other mailboxes reported during other commands end the next wait, once")
    func newsBetweenWaits() async throws {
        try await talk(
            .login("IMAP4rev1 IDLE NOTIFY") + Self.notifying("A4") + [
                .client("A5 NOOP"), .server("* STATUS Work (MESSAGES 2 UIDNEXT 3 UIDVALIDITY 1)"),
                .server("A5 OK done"),
            ] + Self.examined("A6") + Self.examined("A7") + Self.idling("A8") + [.server("* 4 EXISTS")]
                + Self.ended("A8")
        ) { client in
            _ = try await client.changes.notify()
            #expect(await client.reportsOtherMailboxes)
            try await client.noop()
            #expect(try await wait(client) == .changedElsewhere([bytes("Work")]))
            #expect(try await wait(client) == .changed)
        }
    }

    @Test("a mailbox renamed during another command ends the next wait, once")
    func namesBetweenWaits() async throws {
        try await talk(
            .login("IMAP4rev1 IDLE NOTIFY") + Self.notifying("A4") + [
                .client("A5 NOOP"), .server(#"* LIST () "/" New ("OLDNAME" ("Old"))"#),
                .server("A5 OK done"),
            ] + Self.examined("A6") + Self.examined("A7") + Self.idling("A8") + [.server("* 4 EXISTS")]
                + Self.ended("A8")
        ) { client in
            _ = try await client.changes.notify()
            try await client.noop()
            #expect(try await wait(client) == .changedElsewhere([bytes("New")]))
            #expect(try await wait(client) == .changed)
        }
    }

    @Test("names in the answer to LIST, and those before a survey, end no wait")
    func surveyedNames() {
        var news = MailboxNews()
        news.note(name: bytes("Old"), isGone: false)
        news.begin([])
        news.isListing = true
        news.note(name: bytes("Work"), isGone: false)
        news.isListing = false
        #expect(news.take(except: bytes("INBOX")).isEmpty)
        news.note(name: bytes("New"), isGone: false)
        news.beginSurvey()
        #expect(news.take(except: bytes("INBOX")).isEmpty)
        news.note(name: bytes("Later"), isGone: false)
        news.cover([], of: [bytes("Work")])
        #expect(news.take(except: bytes("INBOX")) == [bytes("Later")])
        // A server with IMAP4rev2 names each mailbox that is opened.
        news.note(name: bytes("Work"), isGone: false)
        #expect(news.take(except: bytes("INBOX")).isEmpty)
        news.note(name: bytes("Work"), isGone: true)
        #expect(news.take(except: bytes("INBOX")) == [bytes("Work")])
    }

    @Test("a report with the numbers of the survey does not end the wait")
    func oldNumbers() async throws {
        try await talk(
            .login("IMAP4rev1 IDLE NOTIFY") + Self.notifying("A4") + [
                .client("A5 NOOP"), .server("* STATUS Work (MESSAGES 1 UIDNEXT 2 UIDVALIDITY 1 UNSEEN 1)"),
                .server("A5 OK done"),
            ] + Self.examined("A6") + Self.idling("A7") + [.server("* 4 EXISTS")] + Self.ended("A7")
        ) { client in
            _ = try await client.changes.notify()
            try await client.noop()
            #expect(try await wait(client) == .changed)
        }
    }

    @Test("if the server ends NOTIFY, the wait ends and NOTIFY is requested again")
    func overflow() async throws {
        try await talk(
            .login("IMAP4rev1 IDLE NOTIFY") + Self.notifying("A4") + Self.examined("A5") + Self.idling("A6")
                + [.server("* OK [NOTIFICATIONOVERFLOW] too many")] + Self.ended("A6")
        ) { client in
            _ = try await client.changes.notify()
            #expect(try await wait(client) == .changed)
            #expect(await !client.reportsOtherMailboxes)
        }
    }

    @Test("a survey covers the changes before it, not those after it")
    func surveyed() {
        func work(_ messages: UInt32) -> MailboxStatus {
            MailboxStatus(name: bytes("Work"), messages: messages)
        }
        var news = MailboxNews()
        news.note(work(5))
        #expect(news.take(except: bytes("INBOX")).isEmpty, "without NOTIFY a STATUS is an answer")
        news.cover([work(5)], of: [bytes("Work")])
        news.begin([work(6)])
        #expect(news.take(except: bytes("INBOX")) == [bytes("Work")], "it came between the survey and NOTIFY")
        news.note(work(7))
        news.cover([work(7)], of: [bytes("Work")])
        #expect(news.take(except: bytes("INBOX")).isEmpty)
        news.note(work(8))
        #expect(news.take(except: bytes("Work")).isEmpty, "the open mailbox is compared anyway")
    }

    private static func notifying(_ tag: String) -> [Line] {
        [
            .client(
                "\(tag) NOTIFY SET STATUS (SELECTED (MessageNew MessageExpunge FlagChange)) "
                    + "(PERSONAL (MessageNew MessageExpunge FlagChange MailboxName))"),
            .server("* STATUS Work (MESSAGES 1 UIDNEXT 2 UIDVALIDITY 1)"),
            .server("\(tag) OK done"),
        ]
    }
}
