import Models
import Synchronization

/// Leaves out what was last reported about the task folder: unreadable files, waiting questions, a suspicious
/// folder.
final class TaskNews: Sendable {
    fileprivate struct State {
        var malformed: [String] = []
        var held: [String] = []
        var problem: String?
    }

    private let state = Mutex(State())
    private let tell: @Sendable (TaskWatchEvent) -> Void

    init(_ tell: @escaping @Sendable (TaskWatchEvent) -> Void) { self.tell = tell }

    func report(_ event: TaskWatchEvent) {
        if let news = state.withLock({ $0.news(event) }) { tell(news) }
    }
}

extension TaskNews.State {
    mutating func news(_ event: TaskWatchEvent) -> TaskWatchEvent? {
        switch event {
        case .followed(var report):
            problem = nil
            let (malformed, held) = (report.malformed, report.held)
            if malformed == self.malformed { report.malformed = [] }
            if held == self.held { report.held = [] }
            (self.malformed, self.held) = (malformed, held)
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
