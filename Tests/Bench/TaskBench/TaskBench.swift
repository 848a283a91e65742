/// Works on a folder of task files and prints how long that took, in seconds: the bench of `TaskFiles` alone.
///
///     task-bench write DIR COUNT            new tasks in one call
///     task-bench write-each DIR COUNT       new tasks, each on the disk before the next
///     task-bench raw-write DIR COUNT        the same files without a task in them, and one sync of the disk
///     task-bench raw-write-each DIR COUNT   ... and two for each file: its bytes, then its name
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
        let store = TaskFiles(root: words[2])
        let count = words.count > 3 ? Int(words[3]) ?? 0 : 0
        switch words[1] {
        case "write":
            let todos = tasks(count)
            try report(
                "written", count, time { try store.create(todos, now: now).forEach { _ = try $0.get() } })
        case "write-each":
            let todos = tasks(count)
            try report("written", count, time { for todo in todos { _ = try store.create(todo, now: now) } })
        case "raw-write", "raw-write-each":
            let files = RawFiles(folder: words[2], count: count)
            report("written", count, time { files.write(each: words[1] == "raw-write-each") })
        case "list":
            var count = 0
            let took = try time { count = try store.list(known: [], now: now).files.count }
            report("listed", count, took)
        case "scan":
            let known = try store.list(known: [], now: now).files
            var changes = 0
            let took = try time {
                changes = try store.scan(known: known, now: now, allowMassDelete: false).changes.count
            }
            guard changes == 0 else { return report("CHANGED", changes, took) }
            report("unchanged", known.count, took)
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

    /// Seconds, and those in which a processor worked for it: the others are waiting, or other programs.
    private static func time(_ body: () throws -> Void) rethrows -> (wall: Double, cpu: Double) {
        let (begin, before) = (ContinuousClock.now, used().cpu)
        try body()
        let took = ContinuousClock.now - begin
        let wall = Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
        return (wall, used().cpu - before)
    }

    private static func used() -> (cpu: Double, peak: Double) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        return (Double(seconds) + Double(microseconds) / 1e6, Double(usage.ru_maxrss) / 1_024)
    }

    private static func report(_ what: String, _ count: Int, _ took: (wall: Double, cpu: Double)) {
        print("\(what) \(count) seconds \(took.wall) cpu \(took.cpu) peak-MiB \(used().peak)")
    }

    private static func usage() { print("usage: task-bench [raw-]write[-each]|list|scan DIR [COUNT]") }
}
