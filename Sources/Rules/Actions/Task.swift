import Models
import YAMLSource

/// `task: 'Pay {{subject}}'`: makes a task from the message.
struct TaskAction: ActionTemplate {
    static let entry = ActionEntry(
        .task, value: "a title, or a mapping", form: .text,
        fields: ["title", "list", "context", "due", "due-else", "start", "priority", "notes", "remind"],
        required: ["title"], help: "make a task of it",
        example:
            "task: { title: 'Pay {{subject}}', list: next, due: '{{date-in-body}}', due-else: +14 days }")

    var title: Template
    var list = GTDList.next
    var contexts: [Template] = []
    var due: Template?
    var dueElse: Template?
    var start: Template?
    var priority = 0
    var notes: Template?
    var remindSecondsBefore: Int?

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        TaskReader(source: source).read(node).map { [$0] } ?? []
    }

    var usesText: Bool {
        ([title] + contexts + [due, dueElse, start, notes].compactMap { $0 }).contains(where: \.usesText)
    }

    func make(_ maker: inout ActionMaker) -> Action? {
        let title = maker.rendering.text(title).trimmingBlanks()
        var draft = TodoDraft(summary: title.isEmpty ? "(no subject)" : title, list: list)
        draft.notes = notes.map { maker.rendering.text($0) } ?? ""
        if list == .waiting { draft.waitingOn = maker.person(.other).flatMap { maker.isMe($0) ? nil : $0 } }
        draft.contexts =
            contexts
            .map { maker.rendering.text($0).replacing(",", with: " ").trimmingBlanks() }
            .filter { !$0.isEmpty }
        draft.start = date(start, field: "start", fallback: nil, &maker)
        draft.due = date(due ?? dueElse, field: "due date", fallback: dueElse, &maker)
        dropLateStart(&draft, &maker)
        draft.priority = priority
        if draft.due != nil || draft.start != nil { draft.alarmSecondsBefore = remindSecondsBefore }
        return .task(draft)
    }

    /// A task cannot start after it is due: RFC 5545 §3.8.2.3.
    private func dropLateStart(_ draft: inout TodoDraft, _ maker: inout ActionMaker) {
        let zone = maker.rendering.view.context.timeZone
        guard let start = draft.start, let due = draft.due,
            let first = DatePhrase.instant(of: start, timeZone: zone, secondOfDay: 0),
            let last = DatePhrase.instant(of: due, timeZone: zone, secondOfDay: 86_399), first > last
        else { return }
        let days = [start, due].map { maker.rendering.spelling($0) }
        maker.warn("sets a start (\(days[0])) after the due date (\(days[1])); the task has no start")
        draft.start = nil
    }

    private func date(
        _ template: Template?, field: String, fallback: Template?, _ maker: inout ActionMaker
    ) -> TodoDate? {
        guard let template else { return nil }
        let rendering = maker.rendering
        if let date = rendering.date(template) { return date }
        guard let fallback, let date = rendering.date(fallback) else {
            maker.warn("found no \(field) in the message; the task has none")
            return nil
        }
        maker.warn(
            "found no \(field) in the message; uses \(fallback.source) (\(rendering.spelling(date)))")
        return date
    }

    static let expectation: ActionExpectation? = .init(key: "task") { node, report in
        if node.scalar == "none" {
            return { outcome in outcome.task.map { "task: expected none, got '\($0.summary)'" } }
        }
        guard let fields = ExpectedTask.fields(node, report) else { return nil }
        return { ExpectedTask.failure(fields, $0) }
    }
}

extension RuleTestOutcome {
    fileprivate var task: TodoDraft? {
        actions.lazy.compactMap { if case .make(.task(let draft)) = $0 { draft } else { nil } }.first
    }
}

/// The expected task of a rule test: only the fields that the test names are compared.
private enum ExpectedTask {
    static func fields(_ node: YAMLNode, _ report: Report) -> [String: [String]]? {
        if let title = node.scalar { return ["title": [title]] }
        guard let pairs = report.mapping(node, "'task'") else { return nil }
        let known = ["title", "list", "context", "due", "start", "notes"]
        report.checkKeys(pairs, known, code: "R015", "field of an expected task")
        var expected: [String: [String]] = [:]
        for (key, value) in pairs {
            guard let name = key.scalar else { continue }
            if name == "due" || name == "start", value.scalar != "none" {
                if let date = report.date(value, "'\(name)'", captures: []) { expected[name] = [date.source] }
            } else {
                expected[name] = report.texts(value, "'\(name)'").map(\.text)
            }
        }
        return expected
    }

    static func failure(_ fields: [String: [String]], _ outcome: RuleTestOutcome) -> String? {
        guard let task = outcome.task else { return "task: expected one, got none" }
        for (field, values) in fields.sorted(by: { $0.key < $1.key }) {
            let expected = values.joined(separator: ", ")
            let found: String? =
                switch field {
                case "title": task.summary
                case "list": task.list.rawValue
                case "notes": task.notes
                case "context": task.contexts.joined(separator: ", ")
                case "due": outcome.spelled(task.due)
                case "start": outcome.spelled(task.start)
                case _: nil
                }
            guard let found else { continue }
            let isDate = (field == "due" || field == "start") && expected != "none"
            let wanted = isDate ? outcome.spelled(outcome.resolved(expected)) : expected
            if let failure = outcome.unlike("task \(field)", wanted, found) { return failure }
        }
        return nil
    }
}

/// Reads the value: a title, or a mapping with the fields of the task.
private struct TaskReader {
    let source: ActionSource

    private var report: Report { source.report }

    func read(_ node: YAMLNode) -> TaskAction? {
        guard node.mapping != nil else {
            return source.template(node, "'task'").map { TaskAction(title: $0) }
        }
        guard
            let place = source.required(
                "title", in: node, of: TaskAction.entry, "task: { title: '{{subject}}' }"),
            let title = source.template(place, "'title'")
        else { return nil }
        var task = TaskAction(title: title)
        if let list = node["list"].flatMap({ self.list($0) }) { task.list = list }
        if let contexts = node["context"] {
            task.contexts = (contexts.sequence ?? [contexts]).compactMap {
                source.template($0, "'context'")
            }
        }
        task.due = node["due"].flatMap { source.date($0, "'due'") }
        task.dueElse = node["due-else"].flatMap { source.date($0, "'due-else'") }
        task.start = node["start"].flatMap { source.date($0, "'start'") }
        if let priority = node["priority"].flatMap({ self.priority($0) }) { task.priority = priority }
        task.notes = node["notes"].flatMap { source.template($0, "'notes'") }
        task.remindSecondsBefore = node["remind"].flatMap { remind($0) }
        return task
    }

    private func list(_ node: YAMLNode) -> GTDList? {
        guard let text = report.text(node, "'list'") else { return nil }
        guard GTDList.isValid(text) else {
            report.error(
                "R020", node, "'\(text)' cannot be the name of a list",
                "next, scheduled, someday, or your own")
            return nil
        }
        return GTDList(text)
    }

    /// RFC 5545 §3.8.1.9: 1 is the highest.
    private func priority(_ node: YAMLNode) -> Int? {
        let words = ["high": 1, "medium": 5, "low": 9, "none": 0]
        guard let text = node.scalar, let value = words[text] ?? Int(text), (0...9).contains(value) else {
            report.error("R020", node, "'priority' must be high, medium, low or 1 to 9")
            return nil
        }
        return value
    }

    /// `3 days before`, `2 hours`, `P1D`.
    private func remind(_ node: YAMLNode) -> Int? {
        guard let text = report.text(node, "'remind'") else { return nil }
        let length = text.hasSuffix(" before") ? String(text.dropLast(" before".count)) : text
        guard let seconds = DatePhrase.duration(length) else {
            report.error("R022", node, "'\(text)' is not a length of time", "3 days before, 2 hours before")
            return nil
        }
        return Int(seconds)
    }
}
