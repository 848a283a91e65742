public import Models
import Rules

/// Makes tasks from the actions of rules.
struct TodoMaking {
    let account: AccountID
    let timeZone: String
    let now: Timestamp
    /// The names of messages that are not identified by their `Message-ID`.
    var names = OwnNames()

    /// Every task that the decisions on a message make, with its rule. These tasks can be shown, but not
    /// written: a task that waits for an answer does not have the id of the user's mail yet.
    func todos(of decisions: [Plan.Decision], _ item: Plan.Item) -> [(todo: Todo, rule: String)] {
        var counts: [String: Int] = [:]
        return decisions.compactMap { decision in
            if case .make(.task(let draft)) = decision.action {
                let number = counts[decision.rule, default: 0]
                counts[decision.rule] = number + 1
                return (todo(draft, of: item, rule: decision.rule, number: number), decision.rule)
            }
            if case .make(.delegate(let delegation)) = decision.action {
                let name = MessageID(item.message.rawValue)
                return (waiting(delegation, of: item, rule: decision.rule, sent: name), decision.rule)
            }
            if case .make(.waiting(let waiting)) = decision.action {
                return (self.waiting(waiting, of: item, rule: decision.rule), decision.rule)
            }
            return nil
        }
    }

    /// The task for a draft. If it has no start and its message is deferred, it starts when the message comes
    /// back.
    func todo(_ draft: TodoDraft, of item: Plan.Item, rule: String, number: Int) -> Todo {
        var todo = Todo(
            id: identity(item, rule: rule, .task(number)), list: draft.list,
            summary: Self.line(draft.summary))
        todo.notes = draft.notes
        todo.categories = draft.contexts
        todo.due = draft.due
        todo.start = draft.start ?? deferral(of: item).map { date($0) }
        todo.priority = draft.priority
        todo.alarmSecondsBefore = draft.alarmSecondsBefore
        todo.contact = draft.waitingOn.map { Self.line($0.description) }
        todo.waitingOn = draft.waitingOn.map { Self.line($0.addrSpec) }
        link(&todo, to: item, rule: rule)
        return todo
    }

    /// A task that waits for an answer.
    func waiting(_ delegation: Delegation, of item: Plan.Item, rule: String, sent: MessageID) -> Todo {
        let name = Self.line(delegation.to.name)
        var todo = Todo(
            id: identity(item, rule: rule, .waiting), list: .waiting,
            summary: Self.line("Waiting for \(name): \(item.subject)"))
        todo.notes = delegation.note
        if delegation.sending == .draft {
            todo.notes += (todo.notes.isEmpty ? "" : "\n\n") + Todo.draftedWait
        }
        todo.categories = ["waiting"]
        todo.start = delegation.followUp
        todo.contact = Self.line(delegation.to.description)
        todo.waitingOn = Self.line(delegation.to.addrSpec)
        todo.delegatedMessageID = sent
        todo.onReply = delegation.onReply
        link(&todo, to: item, rule: rule)
        return todo
    }

    /// A task that waits for a person, without a mail by the user.
    func waiting(_ waiting: Waiting, of item: Plan.Item, rule: String) -> Todo {
        let name = Self.line(Self.names(waiting.people))
        var todo = Todo(
            id: identity(item, rule: rule, .waiting), list: .waiting,
            summary: Self.line(waiting.title ?? "Waiting for \(name): \(item.subject)"))
        todo.categories = ["waiting"]
        todo.start = waiting.followUp
        todo.contact = Self.list(waiting.people.map(\.description))
        todo.waitingOn = Self.list(waiting.people.map(\.addrSpec))
        todo.onReply = waiting.onReply
        link(&todo, to: item, rule: rule)
        return todo
    }

    /// `Ann, Bob and 3 others`
    private static func names(_ people: [EmailAddress]) -> String {
        let names = people.prefix(3).map(\.name).joined(separator: ", ")
        return people.count > 3 ? names + " and \(people.count - 3) others" : names
    }

    /// Lists only complete values, because a truncated address would be a different one.
    private static func list(_ people: [String]) -> String {
        var text = ""
        for person in people.map(line) {
            let longer = text.isEmpty ? person : text + ", " + person
            guard text.isEmpty || longer.count <= 2_000 else { break }
            text = longer
        }
        return text
    }

    private func identity(_ item: Plan.Item, rule: String, _ purpose: TodoIdentity.Purpose) -> TodoID {
        TodoIdentity.make(
            account: account,
            message: TodoIdentity.name(of: item.messageID, item.message, names), rule: rule, purpose: purpose)
    }

    private func link(_ todo: inout Todo, to item: Plan.Item, rule: String) {
        todo.created = now
        todo.messageID = item.messageID
        todo.url = item.messageID.map { Self.midURL($0) }
        todo.account = account
        todo.rule = rule
        todo.timeZone = timeZone
    }

    private func deferral(of item: Plan.Item) -> Timestamp? {
        guard case .place(.deferUntil(let until)) = item.disposition else { return nil }
        return until.time
    }

    /// A date if the message comes back at the start of a day (08:00), otherwise a date with time: the
    /// inverse of ``ReturnTime``.
    private func date(_ until: Timestamp) -> TodoDate {
        guard let zone = Zone(timeZone) else { return .instant(until) }
        let local = zone.local(until)
        return local.secondOfDay == ReturnTime.secondOfDay ? .date(local.date) : .instant(until)
    }

    /// `mid:` and the percent-encoded id. RFC 2392 §2.
    static func midURL(_ id: MessageID) -> String {
        var text = "mid:"
        for byte in id.rawValue.utf8 {
            let isPlain =
                (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
                || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
                || "-._~@$+=!*".utf8.contains(byte)
            if isPlain {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    /// One line of at most 300 characters: a subject may contain line breaks and control characters.
    static func line(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(2_000) where !changesDirection(scalar) {
            let isControl =
                scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
            scalars.append(isControl ? " " : scalar)
        }
        return String(String(scalars).prefix(300))
    }

    /// Such a mark can make the rest of a title read as another text.
    private static func changesDirection(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202A...0x202E, 0x2066...0x2069: true
        case _: false
        }
    }
}

/// When a deferred message comes back if a task file names only the day.
public enum ReturnTime {
    /// 08:00.
    static let secondOfDay = 8 * 3_600

    public static func instant(_ date: TodoDate, timeZone: String) -> Timestamp {
        switch date {
        case .instant(let time):
            time
        case .date(let day):
            (Zone(timeZone) ?? .utc).instant(LocalDateTime(date: day, secondOfDay: secondOfDay))
        case .local(let local, zone: let name):
            (name.flatMap { Zone(tzid: $0) } ?? Zone(timeZone) ?? .utc).instant(local)
        }
    }
}
