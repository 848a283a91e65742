import Dispatch
import Foundation
import Models
import TestSupport
import Testing

@testable import Pipeline

/// The local socket of a watch, and the commands that ask over it.
@Suite("Watch socket", .timeLimit(.minutes(1))) struct WatchSocketTests {
    private let folder: TemporaryFolder
    private let gate = WatchGate()
    private let asked = Locked<[String?]>([])
    private let steps = Locked(0)
    private let mail = Locked(0)
    private let looks = Locked(0)

    init() throws { folder = try TemporaryFolder() }

    private func socket() throws -> WatchSocket {
        let answers = WatchSocket.Answers(
            state: { Array("state".utf8) }, metrics: { nil },
            sync: { [asked] account in
                asked.change { $0.append(account) }
                return account == "none" ? nil : Array("[]".utf8)
            },
            steps: { [steps] in steps.change { $0 += 1 } }, mail: { [mail] in mail.change { $0 += 1 } },
            endSilentRounds: { [looks] in looks.change { $0 += 1 } }, gate: gate)
        return try #require(WatchSocket(in: folder.path, answers))
    }

    private var peer: WatchPeer { WatchPeer(storeFolder: folder.path) }

    /// Runs a call that blocks outside the threads of tasks: one of those has to answer it.
    private func blocking<T: Sendable>(_ call: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try call() }) }
        }
    }

    private func said(_ answer: WatchPeer.Answer) -> String? {
        if case .told(let bytes) = answer { return String(decoding: bytes, as: UTF8.self) }
        return nil
    }

    @Test("a request gets its response, with any account name")
    func questions() async throws {
        let socket = try socket()
        defer { socket.remove() }
        #expect(said(peer.state()) == "state")
        let names = [nil, "a&b=c %ü/\r\n", "none"]
        let synced = try await blocking { [peer] in names.map { peer.sync($0) } }
        #expect(synced == [Array("[]".utf8), Array("[]".utf8), nil])
        #expect(asked.value == [nil, "a&b=c %ü/\r\n", "none"])
        peer.noteSteps()
        #expect(steps.value == 1)
        peer.noteMail()
        #expect(mail.value == 1)
    }

    @Test("without a watch, there is no response and no wait")
    func nobody() throws {
        guard case .none = peer.state() else { return #expect(Bool(false)) }
        #expect(peer.sync(nil) == nil)
        #expect(peer.pause() == nil)
        let socket = try socket()
        socket.remove()
        #expect(peer.pause() == nil)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/watch.socket"))
    }

    @Test("a command that finds the lock taken pauses the watch, and ends the pause with its lock")
    func pause() async throws {
        let socket = try socket()
        defer { socket.remove() }
        let path = folder.path + "/lock"
        let round = Locked<StateLock?>(try StateLock.take(path: path, isBrief: true))
        Task {
            try await Task.sleep(for: .milliseconds(200))
            round.change { $0 = nil }
        }
        // No task has it as its result, which would keep the lock.
        var held: StateLock? = try await blocking { [peer] in try StateLock.take(path: path, watch: peer) }
        #expect(round.value == nil)
        let passed = Locked(false)
        let next = Task { [gate] in
            try await gate.passage()
            passed.change { $0 = true }
        }
        try await Task.sleep(for: .milliseconds(100))
        #expect(!passed.value)
        withExtendedLifetime(held) {}
        held = nil
        try await next.value
        #expect(passed.value)
    }

    @Test("during a pause, silent rounds are ended once a second, and not afterwards")
    func silentRounds() async throws {
        let socket = try socket()
        defer { socket.remove() }
        var pause = try await blocking { [peer] in peer.pause() }
        #expect(pause != nil)
        _ = try await eventually("a look at the rounds") { looks.value > 1 ? true : nil }
        pause = nil
        try await Task.sleep(for: .milliseconds(200))
        let before = looks.value
        try await Task.sleep(for: .milliseconds(1_300))
        #expect(looks.value == before)
    }

    @Test("clients that send nothing do not delay the others")
    func slowClients() async throws {
        let socket = try socket()
        defer { socket.remove() }
        let path = folder.path + "/" + WatchSocket.name
        let idle = (0..<5).compactMap { _ in LocalSocket.connected(to: path, milliseconds: 200) }
        defer { for client in idle { close(client) } }
        #expect(idle.count == 5)
        let answer = try await blocking { [peer] in peer.state() }
        #expect(said(answer) == "state", "within the patience of opus status")
    }

    @Test("a report is unchanged by the socket")
    func reports() throws {
        let mailbox = Mailbox(
            account: AccountID("work"), name: MailboxName(bytes: [0x26, 0xFF, 0x41]), displayName: "Ü",
            delimiter: "/", role: .archive)
        var box = SyncReport.MailboxReport(mailbox: mailbox)
        (box.added, box.flagsChanged, box.removed, box.rebound, box.skipped, box.leftOut) = (1, 2, 3, 4, 5, 6)
        (box.problem, box.notices) = ("left alone", ["a", "b"])
        var report = SyncReport(account: AccountID("work"))
        report.mailboxes = [box]
        let data = try JSONEncoder().encode([SyncAnswer(report)])
        let read = try #require(try JSONDecoder().decode([SyncAnswer].self, from: data).first?.report)
        #expect(read.account == report.account)
        let found = try #require(read.mailboxes.first)
        #expect(found.mailbox == mailbox)
        #expect(found.added == 1 && found.flagsChanged == 2 && found.removed == 3)
        #expect(found.rebound == 4 && found.skipped == 5 && found.leftOut == 6)
        #expect(found.problem == "left alone")
        #expect(found.notices == ["a", "b"])
    }
}
