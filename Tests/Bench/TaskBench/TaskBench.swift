/// Works on a folder of task files and prints how long that took, in seconds: the bench of `TaskStore` alone.
///
///     task-bench write DIR COUNT            new tasks, one wait for the disk at the end
///     task-bench write-each DIR COUNT       new tasks, each on the disk before the next
///     task-bench list DIR                   every file read, nothing known before
///     task-bench scan DIR                   ... and looked at again, nothing changed: the second look is timed
import Glibc
import Models
import TaskStore

@main
enum TaskBench {
    static let now = Timestamp(seconds: 1_774_969_200)

    static func main() throws {
        let words = CommandLine.arguments
        guard words.count >= 3 else { return usage() }
        let store = TaskStore(root: words[2])
        switch words[1] {
        case "write":
            let todos = tasks(words.count > 3 ? Int(words[3]) ?? 0 : 0)
            report("written", todos.count, time { check(store.create(todos, now: now)) })
        case "write-each":
            let todos = tasks(words.count > 3 ? Int(words[3]) ?? 0 : 0)
            try report(
                "written", todos.count, time { for todo in todos { _ = try store.create(todo, now: now) } })
        case "list":
            var count = 0
            let seconds = try time {
                count = try store.scan(known: [], now: now, allowMassDelete: false).files.count
            }
            report("listed", count, seconds)
        case "scan":
            let known = try store.scan(known: [], now: now, allowMassDelete: false).files
            var changes = 0
            let seconds = try time {
                changes = try store.scan(known: known, now: now, allowMassDelete: false).changes.count
            }
            guard changes == 0 else { return report("CHANGED", changes, seconds) }
            report("unchanged", known.count, seconds)
        case _: usage()
        }
    }

    private static func tasks(_ count: Int) -> [Todo] {
        (0..<count).map { number in
            var todo = Todo(id: TodoID("bench-\(number)"), list: .next, summary: "Answer number \(number)")
            todo.messageID = MessageID("message-\(number)@example.org")
            todo.account = AccountID("work")
            todo.rule = "bench"
            todo.categories = ["@office", "bench"]
            todo.due = .date(CalendarDate(daysSinceEpoch: 20_600 + Int64(number % 365)))
            return todo
        }
    }

    private static func check(_ results: [Result<TodoFile, TaskStoreError>]) {
        for case .failure(let error) in results { print(error) }
    }

    private static func time(_ body: () throws -> Void) rethrows -> Double {
        let begin = ContinuousClock.now
        try body()
        let took = ContinuousClock.now - begin
        return Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
    }

    private static func report(_ what: String, _ count: Int, _ seconds: Double) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        print("\(what) \(count) seconds \(seconds) peak-MiB \(Double(usage.ru_maxrss) / 1_024)")
    }

    private static func usage() { print("usage: task-bench write|write-each|list|scan DIR [COUNT]") }
}
