import Foundation
import Models
import TestSupport
import Testing

@testable import Pipeline

/// What a watch has already reported: the same finding is said once, until it changes.
@Suite("Memory of a watch")
struct WatchMemoryTests {
    private let account = AccountID("work")

    // MARK: Kept mail

    private func kept(_ name: String, _ reason: String, by rule: String = "file") -> KeptMail {
        KeptMail(message: EmailID(rawValue: name), failures: [RuleFailure(rule: rule, reason: reason)])
    }

    @Test("mail that a rule keeps is reported once, and equal reasons are one line with their number")
    func keptOnce() {
        var mails = KeptMails()
        let first = [kept("a", "no mailbox X"), kept("b", "no mailbox X"), kept("c", "no mailbox Y")]
        #expect(
            mails.take(first, isWhole: true, withoutPlace: []) == [
                "no mailbox X (2 messages)", "no mailbox Y",
            ])
        #expect(mails.take(first, isWhole: true, withoutPlace: []).isEmpty)
        #expect(
            mails.take(first + [kept("d", "no mailbox X")], isWhole: true, withoutPlace: []) == [
                "no mailbox X"
            ])
        #expect(mails.take([kept("a", "no mailbox Z")], isWhole: false, withoutPlace: []) == ["no mailbox Z"])
    }

    @Test(
        "a reason leaves the status when the whole inbox is judged without it, unless its mailbox is missing")
    func reasons() {
        var mails = KeptMails()
        _ = mails.take(
            [kept("a", "no X", by: "x"), kept("b", "no Y", by: "y")], isWhole: true, withoutPlace: [])
        #expect(mails.reasons.map(\.reason) == ["no X", "no Y"])
        _ = mails.take([], isWhole: false, withoutPlace: [])
        #expect(mails.reasons.count == 2, "a part of the inbox proves nothing")
        _ = mails.take([], isWhole: true, withoutPlace: ["y"])
        #expect(mails.reasons.map(\.reason) == ["no Y"])
        _ = mails.take([], isWhole: true, withoutPlace: [])
        #expect(mails.reasons.isEmpty)
        #expect(mails.take([kept("a", "no X", by: "x")], isWhole: true, withoutPlace: []) == ["no X"])
    }

    // MARK: Task folder

    @Test(
        "an unreadable task file and a waiting question are reported when they change, and nothing new is silence"
    )
    func tasks() {
        let told = Locked<[String]>([])
        let news = TaskNews { event in
            switch event {
            case .followed(let report):
                told.change {
                    $0.append((report.malformed + report.held + report.lines).joined(separator: "|"))
                }
            case .stopped(let problem): told.change { $0.append("stopped: " + problem.message) }
            case .syncFailed, .syncRecovered: told.change { $0.append("sync") }
            }
        }
        func follow(_ malformed: [String] = [], _ held: [String] = [], _ lines: [String] = []) {
            var report = FollowReport()
            (report.malformed, report.held, report.lines) = (malformed, held, lines)
            news.report(.followed(report))
        }
        follow()
        follow(["bad"], ["held"])
        follow(["bad"], ["held"])
        follow(["bad"], ["held"], ["done"])
        follow(["bad", "worse"], ["held"])
        follow()
        follow(["bad"])
        #expect(told.value == ["bad|held", "done", "bad|worse", "bad"])
        let gone = Problem("gone", exit: .temporary, message: "the folder is gone")
        news.report(.stopped(gone))
        news.report(.stopped(gone))
        follow()
        news.report(.stopped(gone))
        news.report(.syncFailed(gone))
        news.report(.syncFailed(gone))
        let stopped = "stopped: the folder is gone"
        #expect(told.value.dropFirst(4) == [stopped, stopped, "sync", "sync"])
    }

    @Test(
        "a waiting question is reported once, and stays in the status, while a round is about another account"
    )
    func tasksOfTwoAccounts() {
        let told = Locked<[String]>([])
        let noted = Locked<[String]>([])
        let news = TaskNews(note: { reasons in noted.change { $0 = reasons } }) { event in
            if case .followed(let report) = event { told.change { $0 += report.held } }
        }
        func follow(_ accounts: [String], _ held: [String]) {
            var report = FollowReport()
            (report.runs, report.held) = (accounts.map { RunReport(account: AccountID($0)) }, held)
            news.report(.followed(report))
        }
        follow(["work", "home"], ["held"])
        follow(["home"], [])
        follow(["work"], ["held"])
        follow(["work", "home"], ["held"])
        #expect(told.value == ["held"])
        #expect(noted.value == ["held"])
        follow(["work", "home"], [])
        #expect(noted.value.isEmpty)
    }

    // MARK: Status

    private func board(_ folder: TemporaryFolder, _ tell: @escaping @Sendable (AccountWatch) -> Void)
        -> WatchBoard
    {
        WatchBoard(
            file: folder.path + "/watch.json", accounts: [account], interval: .seconds(1_500),
            clock: SessionClock(fixed: Workplace.tuesday), tell: tell)
    }

    @Test("task files wait for a round that reaches the server, and a connection beside it changes nothing")
    func reached() throws {
        let board = board(try TemporaryFolder()) { _ in }
        board.beginRound(account)
        #expect(!board.mayFollow(account) && !board.mayFollow(AccountID("unknown")))
        board.enter(.mailboxes, account)
        #expect(board.mayFollow(account))
        #expect(board.takeLeftOut(account))
        board.enter(.listening, account)
        board.enter(.authenticating, account)
        #expect(board.mayFollow(account))
        #expect(!board.takeLeftOut(account))
        board.fail(account, Problem("login", exit: .loginRefused, message: "refused"))
        #expect(!board.mayFollow(account))
    }

    @Test("each change of an account's state is reported once, and its phase keeps the time when it began")
    func states() throws {
        let folder = try TemporaryFolder()
        let told = Locked<[WatchPhase]>([])
        let board = board(folder) { state in told.change { $0.append(state.phase) } }
        board.enter(.connecting, account)
        board.enter(.connecting, account)
        board.enter(.listening, account) { $0.method = "IDLE" }
        board.enter(.listening, AccountID("unknown"))
        board.fail(account, Problem("login", exit: .loginRefused, message: "refused"))
        #expect(told.value == [.connecting, .listening, .error])
        let state = try #require(board.record.accounts.first)
        #expect(state.problem == "login" && state.reason == "refused")
        #expect(state.method == nil, "it no longer listens")
    }

    @Test(
        "the status names settings and rules that are not in force, and its file is gone after a normal end")
    func file() async throws {
        let folder = try TemporaryFolder()
        let board = board(folder) { _ in }
        board.noteRules(Problem("broken-rules", exit: .badData, message: "the rules have 1 error"))
        board.noteSettings("opus.yaml has an error")
        let read = { @Sendable in WatchStatus.read(folder.path) }
        let record = try await eventually("the file shows both") {
            read().record?.setbacks.count == 2 ? read().record : nil
        }
        #expect(record.setbacks == ["opus.yaml has an error", "the rules have 1 error"])
        #expect(record.interval == 1_500 && record.accounts.map(\.account) == [account])
        #expect(!read().isRunning, "a file without a lock is of a watch that was killed")
        board.noteRules(nil)
        #expect(board.record.setbacks == ["opus.yaml has an error"])
        board.remove()
        #expect(read().record == nil)
    }

    @Test("the report of a sync by the watch reaches the command whole")
    func syncAnswer() throws {
        var report = SyncReport(account: account)
        let inbox = Mailbox(account: account, name: .inbox, displayName: "INBOX", role: .inbox)
        var box = SyncReport.MailboxReport(mailbox: inbox)
        (box.added, box.flagsChanged, box.removed, box.rebound) = (1, 2, 3, 4)
        (box.skipped, box.leftOut, box.problem, box.notices) = (5, 6, "half", ["n"])
        report.mailboxes = [box]
        let data = try JSONEncoder().encode([SyncAnswer(report)])
        let found = try #require(try JSONDecoder().decode([SyncAnswer].self, from: data).first?.report)
        #expect(found.account == account && found.mailboxes.count == 1)
        let copy = try #require(found.mailboxes.first)
        #expect((copy.added, copy.flagsChanged, copy.removed, copy.rebound) == (1, 2, 3, 4))
        #expect((copy.skipped, copy.leftOut) == (5, 6) && copy.problem == "half" && copy.notices == ["n"])
        #expect(copy.mailbox == inbox)
    }
}
