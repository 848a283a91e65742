import Models

/// Discards a draft together with the task that waits for an answer to it: one run, which `opus undo` undoes as a whole.
public struct DraftDiscarding: Sendable {
    let drafts: Drafts
    let mailbox: DraftsMailbox
    let follow: Following
    let whole: WholeRun

    public struct Outcome: Sendable {
        /// What the steps of the draft did.
        public var report: RunReport
        /// Lines about the draft, for users.
        public var news: [String]
        /// A line for each task that was removed; contains untrusted text.
        public var waits: [String] = []
    }

    /// If the draft could not be removed from its mailbox, its task stays.
    public func discard(_ draft: OpenDraft) async throws -> Outcome {
        try drafts.requireListed(draft)
        whole.begin()
        defer { whole.end() }
        let (report, news) = try await mailbox.discard(draft)
        var outcome = Outcome(report: report, news: news)
        guard report.drain.interruption == nil, report.drain.failures.isEmpty else { return outcome }
        outcome.waits = try await follow.undoUnsentWaits(of: report.account)
        return outcome
    }
}
