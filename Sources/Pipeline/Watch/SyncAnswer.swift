import Accounts
import Foundation
public import Models

/// The report of a sync that a watch sends to `opus sync` over the local socket.
struct SyncAnswer: Codable {
    private struct Box: Codable {
        var mailbox: Mailbox
        var added: Int
        var flagsChanged: Int
        var removed: Int
        var rebound: Int
        var skipped: Int
        var leftOut: Int
        var problem: String?
        var notices: [String]
    }

    private var account: AccountID
    private var boxes: [Box]

    init(_ report: SyncReport) {
        account = report.account
        boxes = report.mailboxes.map {
            Box(
                mailbox: $0.mailbox, added: $0.added, flagsChanged: $0.flagsChanged, removed: $0.removed,
                rebound: $0.rebound, skipped: $0.skipped, leftOut: $0.leftOut, problem: $0.problem,
                notices: $0.notices)
        }
    }

    var report: SyncReport {
        var report = SyncReport(account: account)
        report.mailboxes = boxes.map {
            var found = SyncReport.MailboxReport(mailbox: $0.mailbox)
            (found.added, found.flagsChanged, found.removed) = ($0.added, $0.flagsChanged, $0.removed)
            (found.rebound, found.skipped, found.leftOut) = ($0.rebound, $0.skipped, $0.leftOut)
            (found.problem, found.notices) = ($0.problem, $0.notices)
            return found
        }
        return report
    }
}

/// A sync by the watch that is running in the workspace: its connections are open, so no login is needed.
public struct SyncByWatch: Sendable {
    private let options: SessionOptions

    public init(_ options: SessionOptions) { self.options = options }

    /// nil: no watch is running, or it cannot sync one of the accounts now; then the command syncs itself.
    public func reports(named account: String?) throws -> [SyncReport]? {
        guard options.now == nil else { return nil }
        let folder = try options.loadWorkspace().storeFolder
        guard let body = WatchPeer(storeFolder: folder).sync(account) else { return nil }
        return (try? JSONDecoder().decode([SyncAnswer].self, from: Data(body)))?.map(\.report)
    }
}
