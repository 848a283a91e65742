import Documents
import Foundation
import Models
import TestSupport
import Testing

@testable import Pipeline
@testable import opus

/// What programs that watch machines read.
@Suite("Metrics of a watch") struct WatchMetricsTests {
    private let account = AccountID("work")

    private func synced() -> WatchEvent { .synced(SyncReport(account: account)) }

    @Test("the metric of a silent account is 1 until its next sync, also in the file")
    func silence() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/opus.prom"
        let metrics = WatchMetrics(file)
        let value = { (text: String) in
            text.split(separator: "\n").first { $0.hasPrefix("opus_watch_silent{") }.map(String.init)
        }
        try metrics.note(
            .account(account, .state(AccountWatch(account: account, since: Timestamp(seconds: 0)))))
        #expect(value(metrics.text) == "opus_watch_silent{account=\"work\"} 0")
        try metrics.note(.account(account, .silent(3_001)))
        #expect(value(metrics.text) == "opus_watch_silent{account=\"work\"} 1")
        #expect(
            value(try String(contentsOfFile: file, encoding: .utf8))
                == "opus_watch_silent{account=\"work\"} 1")
        try metrics.note(.account(account, synced()))
        #expect(value(metrics.text) == "opus_watch_silent{account=\"work\"} 0")
    }

    @Test("an account that is no longer watched has no metrics")
    func removedAccount() throws {
        let metrics = WatchMetrics(nil)
        for name in ["work", "home"] {
            let id = AccountID(name)
            try metrics.note(.account(id, .state(AccountWatch(account: id, since: Timestamp(seconds: 0)))))
            try metrics.note(.account(id, .synced(SyncReport(account: id))))
        }
        #expect(metrics.text.contains("account=\"home\""))
        metrics.keep([account])
        #expect(!metrics.text.contains("account=\"home\""))
        #expect(metrics.text.contains("opus_watch_syncs_total{account=\"work\"} 1"))
    }

    @Test("the file also has what happened after the last change of state")
    func lastEvents() throws {
        let folder = try TemporaryFolder()
        let metrics = WatchMetrics(folder.path + "/opus.prom")
        try metrics.note(
            .account(account, .state(AccountWatch(account: account, since: Timestamp(seconds: 0)))))
        try metrics.note(.account(account, synced()))
        let text = try String(contentsOfFile: folder.path + "/opus.prom", encoding: .utf8)
        #expect(text.contains("opus_watch_syncs_total{account=\"work\"} 1"))
    }

    @Test("the steps of orders, of tasks and of returning mail count")
    func steps() throws {
        let metrics = WatchMetrics(nil)
        var run = RunReport(account: account)
        run.drain.confirmed = [
            Step(
                idempotencyKey: "one", message: nil, cause: .hand("archive"),
                kind: .createMailbox(Mailbox(account: account, name: .inbox, displayName: "INBOX")))
        ]
        try metrics.note(
            .account(account, .state(AccountWatch(account: account, since: Timestamp(seconds: 0)))))
        var followed = FollowReport()
        followed.runs = [run]
        try metrics.note(.tasks(.followed(followed)))
        try metrics.note(.account(account, .applied(run)))
        try metrics.note(.account(account, .delivered(run, returned: [])))
        var ordered = OrderReport(account: account)
        ordered.runs = [run]
        try metrics.note(.account(account, .ordered(ordered)))
        #expect(metrics.text.contains("opus_watch_steps_total{account=\"work\"} 4"))
    }

    @Test("silence is an event in JSON, with its length")
    func document() throws {
        let line = String(
            decoding: try DocumentText.line(WatchDocument(.silent(3_001), account: account, time: "t")),
            as: UTF8.self)
        #expect(line.contains("\"type\":\"silent\""))
        #expect(line.contains("\"seconds\":3001"))
    }
}
