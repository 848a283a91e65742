import Models
import Testing

@testable import Pipeline

/// What the board makes of the task files: what can be done now, what waits, and in which order they are shown.
@Suite("Task board")
struct TaskBoardTests {
    private static let now = Workplace.tuesday

    private func todo(_ name: String, _ list: GTDList = .next, _ change: (inout Todo) -> Void = { _ in })
        -> Todo
    {
        var todo = Todo(id: TodoID(name), list: list, summary: name)
        change(&todo)
        return todo
    }

    private func board(_ todos: Todo...) -> TaskBoard {
        TaskBoard(
            todos.map {
                TodoFile(
                    todo: $0, path: "\($0.list)/\($0.id).ics", size: 0, modifiedNanoseconds: 0, inode: 0,
                    digest: "")
            }, now: Self.now, timeZone: "Europe/Paris")
    }

    private func day(_ text: String) throws -> TodoDate { .date(try #require(CalendarDate(text))) }

    @Test(
        "only a task on next or on the user's own list can be started"
    )
    func lists() {
        let own = GTDList("errands")
        let all = [GTDList.inbox, .next, .waiting, .scheduled, .someday, .reference, own].map {
            todo("\($0)", $0)
        }
        let board = board(all[0], all[1], all[2], all[3], all[4], all[5], all[6])
        #expect(all.filter(board.isAvailable).map(\.list) == [.next, own])
    }

    @Test("a task waits for its start, for open blockers and for its parts")
    func waits() throws {
        let tomorrow = try day("2026-03-11")
        let first = todo("first")
        let later = todo("later") { $0.start = tomorrow }
        let blocked = todo("blocked") { $0.dependsOn = [TodoID("first")] }
        let project = todo("project")
        let part = todo("part") { $0.parent = TodoID("project") }
        let free = todo("free") { $0.dependsOn = [TodoID("gone")] }
        let board = board(first, later, blocked, project, part, free)
        let available = [first, later, blocked, project, part, free].filter(board.isAvailable).map(\.summary)
        #expect(available == ["first", "part", "free"])
        #expect(board.blockers(of: blocked).map(\.summary) == ["first"])
        #expect(board.isDeferred(later) && !board.isDeferred(first))
        #expect(board.nextAction(of: TodoID("project"))?.summary == "part")
    }

    @Test("a completed blocker does not block")
    func doneBlocker() {
        let done = todo("done") { $0.status = .completed }
        let next = todo("next") { $0.dependsOn = [TodoID("done")] }
        #expect(board(done, next).isAvailable(next))
    }

    @Test("a task is overdue from the day after its due day until it is completed")
    func overdue() throws {
        let today = try day("2026-03-10")
        let yesterday = try day("2026-03-09")
        let due = todo("due") { $0.due = today }
        let late = todo("late") { $0.due = yesterday }
        let done = todo("done") {
            $0.due = yesterday
            $0.status = .completed
        }
        let board = board(due, late, done)
        #expect([due, late, done].filter(board.isOverdue).map(\.summary) == ["late"])
    }

    @Test("cycles written by other programs end, and are reported")
    func circles() {
        let one = todo("one") {
            $0.parent = TodoID("two")
            $0.dependsOn = [TodoID("two")]
        }
        let two = todo("two") {
            $0.parent = TodoID("one")
            $0.dependsOn = [TodoID("one")]
        }
        let board = board(one, two)
        #expect(board.depends(TodoID("one"), on: TodoID("two")))
        #expect(board.descendants(of: TodoID("one")) == [TodoID("two")])
        #expect(board.findings().count == 4)
    }

    @Test("a missing project, blocker or title is reported with the path of the file")
    func findings() {
        let odd = todo("odd") {
            $0.parent = TodoID("nowhere")
            $0.dependsOn = [TodoID("nothing")]
            $0.summary = ""
        }
        let findings = board(odd, todo("fine")).findings()
        #expect(findings.count == 3)
        #expect(findings.allSatisfy { $0.hasPrefix("next/odd.ics: ") })
    }

    @Test("a filter matches list, context, project, words and state, in any case, with or without @")
    func filters() throws {
        let call = todo("Call Zoë") { $0.categories = ["@Phone"] }
        let buy = todo("Buy paint", .someday) { $0.parent = TodoID("Call Zoë") }
        let done = todo("Paid O’Brien") { $0.status = .completed }
        let board = board(call, buy, done)
        func found(_ change: (inout TaskFilter) -> Void) -> [String] {
            var filter = TaskFilter()
            change(&filter)
            return board.matching(filter).map(\.todo.summary)
        }
        #expect(found { _ in } == ["Call Zoë", "Buy paint"])
        #expect(found { $0.list = .someday } == ["Buy paint"])
        #expect(found { $0.contexts = ["phone"] } == ["Call Zoë"])
        #expect(found { $0.project = TodoID("Call Zoë") } == ["Call Zoë", "Buy paint"])
        #expect(found { $0.words = ["zoe"] } == ["Call Zoë"])
        #expect(found { $0.words = ["oë"] } == ["Call Zoë"])
        let closed = found {
            $0.includesClosed = true
            $0.words = ["o'brien"]
        }
        #expect(closed == ["Paid O’Brien"])
        #expect(found { $0.includesClosed = true }.count == 3)
    }

    @Test("a limit of days includes the last day, and overdue includes open late tasks")
    func dueFilters() throws {
        let today = try day("2026-03-10")
        let yesterday = try day("2026-03-09")
        let tomorrow = try day("2026-03-11")
        let board = board(
            todo("today") { $0.due = today },
            todo("tonight") { $0.due = .instant(Self.now + 12 * 3_600) },
            todo("late") { $0.due = yesterday },
            todo("tomorrow") { $0.due = tomorrow }, todo("some day"))
        func found(_ change: (inout TaskFilter) -> Void) -> [String] {
            var filter = TaskFilter()
            filter.order = .due
            change(&filter)
            return board.matching(filter).map(\.todo.summary)
        }
        #expect(found { $0.dueBy = today } == ["late", "tonight", "today"])
        #expect(found { $0.dueBy = .instant(Self.now + 3_600) } == ["late"])
        #expect(found { $0.isOverdue = true } == ["late"])
        #expect(found { $0.words = ["o"] }.contains("some day"))
    }

    @Test(
        "a task appears on a day by its list or start, and a waiting one from its start on"
    )
    func later() throws {
        let tomorrow = try day("2026-03-11")
        let today = try day("2026-03-10")
        let board = board()
        #expect(board.isScheduled(todo("a", .scheduled)))
        #expect(board.isScheduled(todo("b") { $0.start = tomorrow }))
        #expect(!board.isScheduled(todo("c", .waiting) { $0.start = tomorrow }))
        #expect(!board.isScheduled(todo("d") { $0.start = today }))
        #expect(board.isToBeAsked(todo("e", .waiting) { $0.start = today }))
        #expect(!board.isToBeAsked(todo("f", .waiting) { $0.start = tomorrow }))
        #expect(!board.isToBeAsked(todo("g", .waiting)))
    }

    @Test("a project is shown while it or a part is open, and its next action may be deeper")
    func projects() {
        let board = board(
            todo("house"), todo("roof") { $0.parent = TodoID("house") },
            todo("tiles") { $0.parent = TodoID("roof") },
            todo("closed") { $0.status = .completed }, todo("rest") { $0.parent = TodoID("closed") },
            todo("over") { $0.status = .completed },
            todo("part") {
                $0.parent = TodoID("over")
                $0.status = .completed
            })
        #expect(board.projects().map(\.todo.summary) == ["closed", "house", "roof"])
        #expect(board.projects(includingClosed: true).map(\.todo.summary).contains("over"))
        #expect(board.nextAction(of: TodoID("house"))?.summary == "tiles")
        #expect(board.nextAction(of: TodoID("over")) == nil)
    }

    @Test("each order sorts by its key, missing dates last, and can be reversed")
    func orders() throws {
        let early = try day("2026-03-11")
        let late = try day("2026-04-01")
        let one = todo("b one") {
            $0.due = late
            $0.priority = 1
        }
        let two = todo("a two", .waiting) { $0.due = early }
        let three = todo("c three", .inbox) { $0.priority = 9 }
        let board = board(one, two, three)
        func sorted(_ order: TaskFilter.Order, _ isReversed: Bool = false) -> String {
            board.sorted(board.files, order, isReversed: isReversed).map { String($0.todo.summary.prefix(1)) }
                .joined()
        }
        #expect(sorted(.list) == "cba")
        #expect(sorted(.due) == "abc")
        #expect(sorted(.priority) == "bca")
        #expect(sorted(.summary) == "abc")
        #expect(sorted(.summary, true) == "cba")
    }
}
