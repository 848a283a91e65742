import Files
import Glibc
import Models
import Pipeline
import Synchronization

/// The metrics of a watch for Prometheus (text format, version 0.0.4): on the local socket, and in a file that is
/// replaced as a whole.
final class WatchMetrics: Sendable {
    private struct Counts {
        var rounds = 0
        var received = 0
        var steps = 0
        var failed = 0
        var losses = 0
        var isSilent = false
    }

    private let path: String?
    private let counts = Mutex<[AccountID: Counts]>([:])
    private let states = Mutex<[AccountID: AccountWatch]>([:])

    /// `path`: the file; nil: none.
    init(_ path: String?) { self.path = path }

    func note(_ event: WatchedEvent) throws {
        switch event {
        case .account(let account, let event): note(event, of: account)
        case .tasks(.followed(let report)): note(report.runs)
        case .tasks, .ended: return
        }
        try write()
    }

    private func note(_ runs: [RunReport]) {
        counts.withLock { counts in
            for run in runs {
                counts[run.account, default: Counts()].steps += run.drain.done.count
                counts[run.account]?.failed += run.drain.rejected.count
            }
        }
    }

    private func note(_ event: WatchEvent, of account: AccountID) {
        counts.withLock { counts in
            switch event {
            case .synced(let report):
                counts[account, default: Counts()].rounds += 1
                counts[account]?.isSilent = false
                counts[account]?.received += report.added
            case .lost: counts[account, default: Counts()].losses += 1
            case .silent: counts[account, default: Counts()].isSilent = true
            case .applied, .delivered, .ordered, .notices, .listening, .held, .kept, .brokenRules, .newRules,
                .state:
                break
            }
        }
        switch event {
        case .state(let state): states.withLock { $0[account] = state }
        case .applied(let run), .delivered(let run, returned: _): note([run])
        case .ordered(let report): note(report.runs)
        case _: break
        }
    }

    /// Only these accounts are watched from now on.
    func keep(_ accounts: [AccountID]) {
        states.withLock { $0 = $0.filter { accounts.contains($0.key) } }
        counts.withLock { $0 = $0.filter { accounts.contains($0.key) } }
    }

    func write() throws {
        guard let path else { return }
        try ReplacedFile.write(
            Array(text.utf8), to: path, through: path + ".new", mode: 0o644, isDurable: false)
    }

    var text: String {
        let (states, counts) = (states.withLock(\.self), counts.withLock(\.self))
        let accounts = states.keys.sorted()
        let written = "opus_watch_written_timestamp_seconds"
        var lines = [
            "# HELP \(written) When these metrics were written.", "# TYPE \(written) gauge",
            "\(written) \(time(nil))",
        ]
        func metric(
            _ name: String, _ type: String, _ help: String, _ values: [(labels: String, value: Int64)]
        ) {
            lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"]
            lines += values.map { "\(name){\($0.labels)} \($0.value)" }
        }
        metric(
            "opus_watch_state", "gauge", "The state of the watch of an account: 1 for the current one.",
            accounts.flatMap { account in
                WatchPhase.allCases.map { phase in
                    (
                        Self.label(account) + ",state=\"\(phase.rawValue)\"",
                        states[account]?.phase == phase ? 1 : 0
                    )
                }
            })
        metric(
            "opus_watch_last_sync_timestamp_seconds", "gauge", "When the last complete sync ended.",
            accounts.compactMap { account in
                states[account]?.lastSync.map { (Self.label(account), $0.seconds) }
            })
        let silent = accounts.map { (Self.label($0), counts[$0]?.isSilent == true ? 1 : 0 as Int64) }
        metric(
            "opus_watch_silent", "gauge",
            "1 if no sync ended for more than twice the longest interval.", silent)
        let held = accounts.map { (Self.label($0), states[$0]?.heldPlan == nil ? 0 : 1 as Int64) }
        metric("opus_watch_held_plans", "gauge", "Plans of rules that a brake holds.", held)
        metric(
            "opus_watch_waiting_steps", "gauge", "Steps of the journal that wait, by the reason.",
            accounts.flatMap { account in
                (states[account]?.waiting).map { waiting in
                    StepWait.allCases.map { reason in
                        (
                            Self.label(account) + ",reason=\"\(reason.rawValue)\"",
                            Int64(waiting[reason] ?? 0)
                        )
                    }
                } ?? []
            })
        let counters: [(String, String, KeyPath<Counts, Int>)] = [
            ("opus_watch_syncs_total", "Complete syncs.", \.rounds),
            ("opus_watch_messages_received_total", "Messages that syncs fetched.", \.received),
            ("opus_watch_steps_total", "Steps of the journal that were carried out.", \.steps),
            ("opus_watch_steps_failed_total", "Steps that were refused for good.", \.failed),
            ("opus_watch_lost_connections_total", "Connections that were lost or not made.", \.losses),
        ]
        for (name, help, path) in counters {
            metric(
                name, "counter", help,
                accounts.map { (Self.label($0), Int64((counts[$0] ?? Counts())[keyPath: path])) })
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func label(_ account: AccountID) -> String {
        let escaped = account.rawValue.map { character -> String in
            switch character {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: String(character)
            }
        }
        return "account=\"\(escaped.joined())\""
    }
}
