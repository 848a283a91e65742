import MailStore
import Models
import Testing

@testable import Pipeline

/// Why a step waits that nothing of its own holds back.
@Suite("Waiting for an account") struct QueueWaitTests {
    private static let now = Workplace.tuesday
    private let account = AccountID("work")

    private func entry(_ change: (inout Step) -> Void = { _ in }) -> UnfinishedStep {
        var step = Step(
            idempotencyKey: "k", message: nil, cause: .hand("archive"), kind: .wait(until: nil, before: nil))
        change(&step)
        return UnfinishedStep(run: RunID(rawValue: 1), queuedAt: Self.now, step: step)
    }

    private func status(_ halt: DrainReport.Halt?, at: Timestamp = now, lastSync: Timestamp? = nil)
        -> AccountStatus
    {
        var status = AccountStatus(account: account, lastSync: lastSync)
        status.halt = halt.map { QueueHalt($0, reason: "the server cannot be reached", at: at) }
        return status
    }

    private func watch(_ problem: String?, next: Timestamp? = nil) -> WatchStatus {
        var seen = AccountWatch(account: account, since: Self.now)
        if let problem {
            seen.take(Problem(problem, exit: .unavailable, message: "no network"), again: next)
        }
        var status = WatchStatus(isRunning: true)
        status.record = WatchRecord(process: 1, started: Self.now, interval: 1_500, accounts: [seen])
        return status
    }

    private let none = WatchStatus(isRunning: false)

    @Test("without a watch, the reason of the last attempt is shown")
    func withoutWatch() {
        for halt in [DrainReport.Halt.offline, .lost, .loginRefused] {
            #expect(
                status(halt).wait(of: entry(), none, at: Self.now)
                    == QueueWait(halt: halt, reason: "the server cannot be reached"))
        }
        #expect(status(nil).wait(of: entry(), none, at: Self.now) == nil)
    }

    @Test("the reason is out of date after a later successful sync")
    func outdated() {
        let old = Self.now - 60
        #expect(status(.offline, at: old, lastSync: Self.now).wait(of: entry(), none, at: Self.now) == nil)
        #expect(status(.offline, at: Self.now, lastSync: old).wait(of: entry(), none, at: Self.now) != nil)
    }

    @Test("with a watch, its reason and the time of its next attempt are shown")
    func withWatch() {
        let next = Self.now + 45
        #expect(
            status(nil).wait(of: entry(), watch("unreachable", next: next), at: Self.now)
                == QueueWait(halt: .offline, reason: "no network", nextTry: next))
        #expect(
            status(.offline).wait(of: entry(), watch("login-refused"), at: Self.now)
                == QueueWait(halt: .loginRefused, reason: "no network"))
        #expect(status(nil).wait(of: entry(), watch(nil), at: Self.now) == nil)
    }

    @Test("a step with its own reason, its own time or a question shows no reason of the account")
    func own() {
        let offline = status(.offline)
        #expect(offline.wait(of: entry { $0.error = "the mailbox is full" }, none, at: Self.now) == nil)
        #expect(offline.wait(of: entry { $0.dueAt = Self.now + 60 }, none, at: Self.now) == nil)
        #expect(offline.wait(of: entry { $0.state = .planned }, none, at: Self.now) == nil)
        #expect(offline.wait(of: entry { $0.dueAt = Self.now - 60 }, none, at: Self.now) != nil, "it is due")
    }
}
