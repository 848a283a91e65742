import Logging
import Models
import Synchronization

/// First syncs of many mailboxes, over the existing connection and a spare one.
///
/// The spare connection is optional: without it, or if it fails, the first one does all the work. It reads
/// only mailboxes that were never synced, because these do not depend on other mailboxes.
final class MailboxLanes: Sendable {
    private struct State {
        /// The last element is the next job.
        var waiting: [MailboxJob]
        var isHelped = false
        var reports: [MailboxName: SyncReport.MailboxReport] = [:]
    }

    /// A second login is worth it if the other mailboxes have at least this many messages.
    static let worthHelp = 1_000

    private let context: SyncContext
    private let isWorthHelp: Bool
    private let state: Mutex<State>

    init(context: SyncContext, jobs: [MailboxJob]) {
        self.context = context
        isWorthHelp = jobs.dropFirst().reduce(0) { $0 + ($1.entry.numbers?.exists ?? 0) } >= Self.worthHelp
        state = Mutex(State(waiting: jobs.reversed()))
    }

    /// - Returns: The reports of the mailboxes, without the one that the spare connection was reading when it
    ///   failed: the caller must sync that one.
    func run() async throws -> [MailboxName: SyncReport.MailboxReport] {
        guard let spare = context.spare, isWorthHelp else {
            try await drain(context)
            return state.withLock { $0.reports }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // If the spare connection fails, the first one syncs its remaining mailboxes.
                try? await spare { source in await self.help(source) }
            }
            try await drain(context)
            // The spare connection is not open yet, and is no longer needed.
            if !state.withLock({ $0.isHelped }) { group.cancelAll() }
            try await group.waitForAll()
        }
        return state.withLock { $0.reports }
    }

    private func drain(_ context: SyncContext) async throws {
        while let job = state.withLock({ $0.waiting.popLast() }) {
            let report = try await job.run(context)
            state.withLock { $0.reports[job.entry.mailbox.name] = report }
        }
    }

    private func help(_ source: any MailSource) async {
        var helper = context
        helper.source = source
        state.withLock { $0.isHelped = true }
        defer { state.withLock { $0.isHelped = false } }
        while let job = state.withLock({ $0.waiting.popLast() }) {
            do {
                let report = try await job.run(helper)
                state.withLock { $0.reports[job.entry.mailbox.name] = report }
            } catch {
                context.logger.debug("the second connection broke", metadata: ["error": "\(error)"])
                return
            }
        }
    }
}
