import Foundation
public import Models
import Rules

/// The tasks of a board to show, and their order.
public struct TaskFilter: Sendable {
    public enum Order: String, CaseIterable, Sendable {
        /// By GTD list, then by due date, then by priority.
        case list
        case due
        case start
        case priority
        case created
        case summary
    }

    public var list: GTDList?
    /// The task must have all of them; `@home` or `home`, ignoring case.
    public var contexts: [String] = []
    /// The project and all tasks below it.
    public var project: TodoID?
    /// Due before the end of that day, or before that time.
    public var dueBy: TodoDate?
    public var isOverdue = false
    /// The title, the notes, the contact or a category must contain each of these texts.
    public var words: [String] = []
    public var includesClosed = false
    public var order = Order.list
    public var isReversed = false

    public init() {}
}

extension TaskBoard {
    public func matching(_ filter: TaskFilter) -> [TodoFile] {
        let below = filter.project.map { descendants(of: $0).union([$0]) }
        let words = filter.words.map(Self.plain)
        let contexts = filter.contexts.map(Self.folded)
        func fits(_ todo: Todo) -> Bool {
            guard filter.includesClosed || todo.isOpen else { return false }
            if let list = filter.list, todo.list != list { return false }
            if let below, !below.contains(todo.id) { return false }
            if filter.isOverdue, !isOverdue(todo) { return false }
            if let by = filter.dueBy, !isDue(todo, by: by) { return false }
            if !contexts.isEmpty {
                let own = Set(todo.categories.map(Self.folded))
                guard contexts.allSatisfy(own.contains) else { return false }
            }
            return words.isEmpty || Self.holds(todo, words)
        }
        let found = files.indices.filter { fits(files[$0].todo) }
        return arranged(files, found, filter.order, isReversed: filter.isReversed)
    }

    /// `@Home` and `home` are the same context.
    private static func folded(_ context: String) -> String {
        let lowered = context.lowercased()
        return lowered.hasPrefix("@") ? String(lowered.dropFirst()) : lowered
    }

    private static func holds(_ todo: Todo, _ words: [String]) -> Bool {
        let text = plain(
            [todo.summary, todo.notes, todo.contact ?? "", todo.categories.joined(separator: " ")]
                .joined(separator: "\n"))
        return words.allSatisfy(text.contains)
    }

    /// Ignores case, accents, and the form of apostrophes and hyphens, like the mail index.
    private static func plain(_ text: String) -> String {
        PlainLetters.of(text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil))
    }

    private func isDue(_ todo: Todo, by limit: TodoDate) -> Bool {
        guard let due = todo.due.flatMap({ time($0, todo) }), let end = time(limit, todo) else {
            return false
        }
        return due <= end
    }

    /// A date without a time means the end of that day.
    private func time(_ date: TodoDate, _ todo: Todo) -> Timestamp? {
        DatePhrase.instant(of: date, timeZone: todo.timeZone ?? timeZone, secondOfDay: 86_399)
    }

    // MARK: Order

    public func sorted(_ files: [TodoFile], _ order: TaskFilter.Order, isReversed: Bool = false) -> [TodoFile]
    {
        arranged(files, Array(files.indices), order, isReversed: isReversed)
    }

    /// Filters and sorts indices, and copies each task once, because tasks are large.
    private func arranged(
        _ files: [TodoFile], _ found: [Int], _ order: TaskFilter.Order, isReversed: Bool
    ) -> [TodoFile] {
        var ends = DayEnds()
        let keys = found.map { (key: key(files[$0].todo, order, &ends), index: $0) }
        let sorted = keys.sorted { $0.key < $1.key }
        return (isReversed ? sorted.reversed() : sorted).map { files[$0.index] }
    }

    private struct Key: Comparable {
        var numbers: (Int64, Int64, Int64) = (0, 0, 0)
        var word = ""
        var summary: String
        var id: String

        static func == (a: Key, b: Key) -> Bool {
            a.numbers == b.numbers && a.word == b.word && a.summary == b.summary && a.id == b.id
        }

        static func < (a: Key, b: Key) -> Bool {
            guard a.numbers == b.numbers else { return a.numbers < b.numbers }
            guard a.word == b.word else { return a.word < b.word }
            return a.summary == b.summary ? a.id < b.id : a.summary < b.summary
        }
    }

    /// Caches the ends of days: thousands of tasks share a few hundred days.
    private struct DayEnds {
        private struct Day: Hashable {
            var date: TodoDate
            var zone: String
        }

        private var known: [Day: Int64] = [:]

        /// Tasks without a date are last.
        mutating func seconds(_ date: TodoDate?, in zone: String) -> Int64 {
            guard let date else { return .max }
            let day = Day(date: date, zone: zone)
            if let seconds = known[day] { return seconds }
            let end = DatePhrase.instant(of: date, timeZone: zone, secondOfDay: 86_399)
            known[day] = end?.seconds ?? .max
            return end?.seconds ?? .max
        }
    }

    private func key(_ todo: Todo, _ order: TaskFilter.Order, _ ends: inout DayEnds) -> Key {
        var key = Key(summary: todo.summary, id: todo.id.rawValue)
        let due = ends.seconds(todo.due, in: todo.timeZone ?? timeZone)
        let priority = Int64(todo.priority == 0 ? 10 : todo.priority)
        switch order {
        case .list: key.numbers = (rank(todo.list), due, priority)
        case .due: key.numbers = (due, priority, 0)
        case .start: key.numbers = (startTime(todo)?.seconds ?? .max, due, priority)
        case .priority: key.numbers = (priority, due, 0)
        case .created: key.numbers.0 = todo.created?.seconds ?? 0
        case .summary: key.word = todo.summary.lowercased()
        }
        return key
    }

    /// The user's own lists are last, sorted by name.
    private func rank(_ list: GTDList) -> Int64 {
        Int64(lists.firstIndex(of: list) ?? lists.count)
    }
}
