import Models
import Synchronization

/// Leaves out what was last reported about the task folder: unreadable files, waiting questions, a suspicious
/// folder.
final class TaskNews: Sendable {
    fileprivate struct State {
        var malformed: [String] = []
        /// By the accounts that were followed together.
        var held: [Set<AccountID>: [String]] = [:]
        var problem: String?

        /// Why mail does not follow changed files now.
        var reasons: [String] {
            var seen: Set<String> = []
            return (held.values.flatMap(\.self).sorted() + [problem].compactMap(\.self)).filter {
                seen.insert($0).inserted
            }
        }
    }

    private let state = Mutex(State())
    private let note: @Sendable ([String]) -> Void
    private let tell: @Sendable (TaskWatchEvent) -> Void

    /// `note`: receives why mail does not follow changed files, after each event.
    init(
        note: @escaping @Sendable ([String]) -> Void = { _ in },
        _ tell: @escaping @Sendable (TaskWatchEvent) -> Void
    ) {
        self.note = note
        self.tell = tell
    }

    func report(_ event: TaskWatchEvent) {
        let (news, reasons) = state.withLock { ($0.news(event), $0.reasons) }
        note(reasons)
        if let news { tell(news) }
    }
}

extension TaskNews.State {
    mutating func news(_ event: TaskWatchEvent) -> TaskWatchEvent? {
        switch event {
        case .followed(var report):
            problem = nil
            let (malformed, held) = (report.malformed, report.held)
            if malformed == self.malformed { report.malformed = [] }
            if Set(held).isSubset(of: self.held.values.joined()) { report.held = [] }
            let accounts = Set(report.runs.map(\.account))
            self.held = self.held.filter { !$0.key.isSubset(of: accounts) }
            if !held.isEmpty { self.held[accounts] = held }
            self.malformed = malformed
            let isOld = report.isQuiet && report.malformed.isEmpty && report.held.isEmpty
            return isOld ? nil : .followed(report)
        case .stopped(let problem):
            guard problem.message != self.problem else { return nil }
            self.problem = problem.message
            return event
        case .syncFailed, .syncRecovered: return event
        }
    }
}
