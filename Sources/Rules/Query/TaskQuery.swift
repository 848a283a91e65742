public import Models

/// A query about tasks: words, and the list of the task. All other conditions are about mail.
extension Query {
    /// Whether the task matches. A condition about mail is neither true nor false of a task, so that `-is:unread` does not
    /// match it either.
    public func matches(_ todo: Todo) -> Bool { TodoSight(todo, tables).judge(condition) == .yes }

    /// The conditions about mail, as written in a query: those in definitions by the name of the definition.
    public var mailConditions: [String] {
        condition.tests.filter { !isAboutTasks($0) }.map(\.text)
    }

    private func isAboutTasks(_ test: ConditionTest) -> Bool {
        switch test.kind {
        case .text(let field, _): TodoSight.hasText(field)
        case .taskList: true
        case .defined(let name): tables.defines[name]?.tests.allSatisfy { isAboutTasks($0) } ?? true
        case .address, .amount, .age, .time, .clock, .weekday, .state, .keyword, .mailbox, .waited,
            .authentication, .identity, .thread, .matched:
            false
        }
    }
}

/// The texts of a task that a query reads.
private struct TodoSight {
    private let todo: Todo
    private let tables: RuleTables

    init(_ todo: Todo, _ tables: RuleTables) {
        (self.todo, self.tables) = (todo, tables)
    }

    static func hasText(_ field: TextField) -> Bool {
        switch field {
        case .subject, .body, .anyText: true
        case .attachmentName, .attachmentText, .attachmentType, .header: false
        }
    }

    func judge(_ condition: Condition) -> Truth {
        switch condition {
        case .always: .yes
        case .not(let inner): judge(inner).inverted
        case .all(let branches): branches.children.map { judge($0) }.min() ?? .yes
        case .any(let branches): branches.children.map { judge($0) }.max() ?? .no
        case .test(let test): judge(test)
        }
    }

    private func judge(_ test: ConditionTest) -> Truth {
        switch test.kind {
        case .text(let field, let matcher):
            Self.hasText(field) ? Truth(texts(field).contains { matcher.matches($0) }) : .unknown
        case .taskList(let matcher): Truth(matcher.matches(todo.list.rawValue))
        case .defined(let name): tables.defines[name].map { judge($0) } ?? .no
        case .address, .amount, .age, .time, .clock, .weekday, .state, .keyword, .mailbox, .waited,
            .authentication, .identity, .thread, .matched:
            .unknown
        }
    }

    private func texts(_ field: TextField) -> [String] {
        switch field {
        case .subject: [todo.summary]
        case .body: [todo.notes]
        case .anyText: [todo.summary, todo.notes, todo.contact ?? ""] + todo.categories
        case .attachmentName, .attachmentText, .attachmentType, .header: []
        }
    }
}
