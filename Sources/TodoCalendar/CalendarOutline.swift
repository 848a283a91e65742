/// Which content line belongs to which component of a calendar file. RFC 5545 §3.4, §3.6.
///
/// It is a flat list with indexes, so a stranger's nesting causes no recursion. It keeps unknown components, so that
/// their lines never count as lines of the task.
struct CalendarOutline: Sendable {
    struct Component: Equatable, Sendable {
        /// Upper case.
        var name: String
        var parent: Int?
        /// From BEGIN to END, as indexes into ``CalendarOutline/lines``.
        var lines: ClosedRange<Int>
    }

    let bytes: [UInt8]
    let lines: [ContentLine]
    private(set) var components: [Component] = []
    /// The innermost component of every line; nil: a blank line outside all components.
    private(set) var owners: [Int?] = []

    init(_ bytes: [UInt8]) throws(CalendarError) {
        self.bytes = bytes
        lines = try ContentLine.split(bytes)
        owners.reserveCapacity(lines.count)
        var open: [Int] = []
        for index in lines.indices { try receive(index, &open) }
        if let last = open.last {
            let begin = components[last]
            throw CalendarError(
                .unterminated(component: begin.name), line: lines[begin.lines.lowerBound].number)
        }
        guard !components.isEmpty else { throw CalendarError(.empty, line: 1) }
    }

    private mutating func receive(_ index: Int, _ open: inout [Int]) throws(CalendarError) {
        let line = lines[index]
        switch line.name {
        case "BEGIN":
            let name = shown(line)
            guard open.count < CalendarLimits.nesting else {
                throw CalendarError(.nestedTooDeep(maximum: CalendarLimits.nesting), line: line.number)
            }
            guard !open.isEmpty || name == "VCALENDAR" else {
                throw CalendarError(.notICalendar, line: line.number)
            }
            components.append(Component(name: name, parent: open.last, lines: index...index))
            open.append(components.count - 1)
            owners.append(open.last)
        case "END":
            guard let last = open.popLast() else { throw CalendarError(.notICalendar, line: line.number) }
            let found = shown(line)
            guard found == components[last].name else {
                throw CalendarError(
                    .mismatchedEnd(expected: components[last].name, found: found), line: line.number)
            }
            components[last].lines = components[last].lines.lowerBound...index
            owners.append(last)
        case "":
            owners.append(open.last)
        case _:
            guard !open.isEmpty else { throw CalendarError(.notICalendar, line: line.number) }
            owners.append(open.last)
        }
    }

    /// A component's name; short, because it goes into error messages.
    private func shown(_ line: ContentLine) -> String {
        String(line.plainValue(in: bytes).uppercased().prefix(40))
    }

    /// Indices of the lines that are directly in a component, without BEGIN, END and blank lines.
    func ownLines(of component: Int) -> [Int] {
        components[component].lines.filter { owners[$0] == component && lines[$0].isProperty }
    }

    /// The first line of a name that is directly in a component.
    func line(_ name: String, in component: Int) -> Int? {
        components[component].lines.first { lines[$0].name == name && owners[$0] == component }
    }

    func children(of component: Int, named name: String) -> [Int] {
        components.indices.filter { components[$0].parent == component && components[$0].name == name }
    }

    func has(_ name: String, in component: Int) -> Bool {
        line(name, in: component) != nil
    }
}

extension CalendarOutline {
    /// The VTODO of the task, and those that change single instances of a repeating one.
    struct Task: Equatable, Sendable {
        /// The VTODO without RECURRENCE-ID, else the first.
        var master: Int
        var instances: [Int]
        /// The file only holds an instance: its series is elsewhere.
        var isInstance: Bool
    }

    /// The tasks of the file, one for each UID, in its order.
    func tasks() throws(CalendarError) -> [Task] {
        let todos = topLevel.filter { components[$0].name == "VTODO" }
        guard !todos.isEmpty else {
            let others = topLevel.count { components[$0].name != "VTIMEZONE" }
            let line = lines.first?.number ?? 1
            throw CalendarError(others > 0 ? .onlyEvents(others) : .noTodo, line: line)
        }
        var order: [String] = []
        var groups: [String: [Int]] = [:]
        for todo in todos {
            let uid = try uid(of: todo)
            if groups[uid] == nil { order.append(uid) }
            groups[uid, default: []].append(todo)
        }
        var tasks: [Task] = []
        for uid in order {
            let group = groups[uid] ?? []
            let masters = group.filter { !has("RECURRENCE-ID", in: $0) }
            if masters.count > 1 { throw CalendarError(.sameUID, line: beginLine(of: masters[1])) }
            guard let master = masters.first ?? group.first else { continue }
            tasks.append(
                Task(master: master, instances: group.filter { $0 != master }, isInstance: masters.isEmpty))
        }
        return tasks
    }

    /// The only task of the file.
    func task() throws(CalendarError) -> Task {
        let tasks = try tasks()
        guard tasks.count == 1 else {
            throw CalendarError(.severalTodos, line: beginLine(of: tasks[1].master))
        }
        return tasks[0]
    }

    /// Components directly in a VCALENDAR, in the order of the file.
    var topLevel: [Int] {
        components.indices.filter { index in
            components[index].parent.map { components[$0].name == "VCALENDAR" } ?? false
        }
    }

    func beginLine(of component: Int) -> Int { lines[components[component].lines.lowerBound].number }

    /// The value of a short line that is directly in a component.
    func value(_ name: String, in component: Int) -> String? {
        guard let line = line(name, in: component), lines[line].range.count < 1_024 else { return nil }
        return CleanText.line(lines[line].plainValue(in: bytes))
    }

    private func uid(of todo: Int) throws(CalendarError) -> String {
        guard let line = line("UID", in: todo), case let uid = lines[line].plainValue(in: bytes), !uid.isEmpty
        else {
            throw CalendarError(.noUID, line: beginLine(of: todo))
        }
        return uid
    }
}
