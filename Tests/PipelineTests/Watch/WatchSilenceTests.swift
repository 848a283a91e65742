import Models
import TestSupport
import Testing

@testable import Pipeline

/// An account that was not synced for more than twice the longest interval is worth a warning.
@Suite("Silence of a watch", .timeLimit(.minutes(1))) struct WatchSilenceTests {
    private let account = AccountID("work")
    private static let now = Workplace.tuesday
    private let folder = Result { try TemporaryFolder() }

    private func board(
        began: Timestamp, interval: Duration = Watching.longestWait, tell: @escaping @Sendable () -> Void = {}
    ) throws -> WatchBoard {
        WatchBoard(
            file: try folder.get().path + "/watch.json", accounts: [account], interval: interval,
            began: began,
            clock: SessionClock(fixed: Self.now)
        ) { _ in tell() }
    }

    @Test("an account is silent after twice the interval since the last sync or the start")
    func limit() throws {
        let record = { (began: Int64) in
            WatchRecord(
                process: 1, started: Self.now - began, interval: 1_500,
                accounts: [AccountWatch(account: account, since: Self.now)])
        }
        var watch = AccountWatch(account: account, since: Self.now)
        #expect(record(3_000).silence(of: watch, at: Self.now) == nil)
        #expect(record(3_001).silence(of: watch, at: Self.now) == 3_001)
        watch.lastSync = Self.now - 3_000
        #expect(record(9_000).silence(of: watch, at: Self.now) == nil)
        watch.lastSync = Self.now - 3_002
        #expect(record(9_000).silence(of: watch, at: Self.now) == 3_002)
    }

    @Test("silence is reported once, and again only after another sync")
    func once() throws {
        let board = try board(began: Self.now - 3_001)
        #expect(board.newlySilent().map(\.seconds) == [3_001])
        #expect(board.newlySilent().isEmpty, "the same silence")
        board.enter(.connecting, account)
        #expect(board.newlySilent().isEmpty, "an attempt is not a sync")
        board.enter(.indexing, account) { $0.lastSync = Self.now }
        #expect(board.newlySilent().isEmpty)
        board.enter(.idle, account) { $0.lastSync = Self.now - 4_000 }
        #expect(board.newlySilent().map(\.seconds) == [4_000])
    }

    @Test("the watch checks again at the first time when an account can be silent")
    func sleeps() throws {
        #expect(try board(began: Self.now).untilSilence == .seconds(3_001))
        #expect(try board(began: Self.now - 2_000).untilSilence == .seconds(1_001))
        let silent = try board(began: Self.now - 5_000)
        #expect(silent.untilSilence == .seconds(1))
        _ = silent.newlySilent()
        #expect(silent.untilSilence == .seconds(3_000), "nothing new can be said before a sync")
    }

    @Test("a watch with an unreachable server reports the silence")
    func event() async throws {
        let work = try Workplace()
        let settings = try work.read("opus.yaml").replacing(
            "    maildir: Maildir\n",
            with: """
                    imap: { host: 127.0.0.1, port: 1, security: none }
                    login: { user: ana, password-command: [echo, secret] }

                """)
        try work.write(settings, to: "opus.yaml")
        try await work.with { session in
            var watching = session.watch
            watching.interval = .zero
            let events = Locked<[Int64]>([])
            let control = WatchControl(gate: WatchGate(), began: Self.now - 7)
            let watch = Task { [watching, account] in
                await watching.all([account], isOnce: false, control: control) { event in
                    if case .account(_, .silent(let seconds)) = event { events.change { $0.append(seconds) } }
                }
            }
            _ = try await eventually("the warning") { events.value.isEmpty ? nil : true }
            #expect(events.value == [7])
            watch.cancel()
            _ = await watch.result
        }
    }
}
