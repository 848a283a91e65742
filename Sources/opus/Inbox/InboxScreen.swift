import Models
import Pipeline

/// The screen of the session as a value: it takes a key and returns what to do.
struct InboxScreen {
    /// What the loop does after a key.
    enum Effect: Equatable {
        case order(InboxOrder)
        case undo(Int)
        case search(String)
        case explain(InboxItem)
        case makeRule([InboxItem], then: String)
        case planUnsubscribe(InboxItem)
        case unsubscribe(InboxItem)
        case writeRule(path: String, text: String, InboxItem)
        case write(Writing, InboxItem)
        case redraw
        case suspend
        case quit
    }

    enum Writing: Equatable {
        case reply
        case replyAll
        case forward
    }

    enum Mode {
        case browsing
        /// The user types a line.
        case prompt(Prompt)
        /// Lines over the whole screen, such as the help. The key `y` starts `then`, if it is set.
        case lines(title: String, [String], scroll: Int, then: Effect? = nil)
        /// A question. The key `y` starts the effect.
        case question([String], Effect)
    }

    struct Prompt {
        enum Purpose {
            case deferUntil
            case task
            case wait
            case delegate
            case note(whom: String)
            case label
            case move
            case search
            case rule
        }

        var purpose: Purpose
        var title: String
        var typed: String
    }

    /// The message in the bottom line.
    struct Status {
        var text: String
        var isWarning = false
    }

    var model: InboxModel
    var pace: InboxPace
    var mode = Mode.browsing
    var status: Status?
    /// Why opus cannot reach the account; nil: it can, as far as it knows.
    var offline: String?
    /// The number of orders that are not in the journal yet.
    var pending = 0
    /// The first visible line of the message.
    var scroll = 0
    /// The height of the reading pane and the number of lines in its text, when last drawn.
    var page = (height: 10, lines: 0)
    /// The last search.
    var query = ""

    /// Checks the value of a verb. Returns what is wrong with it, or nil.
    var check: (InboxVerb, InboxItem) -> String? = { _, _ in nil }

    init(_ items: [InboxItem], at time: Double) {
        model = InboxModel(items: items)
        pace = InboxPace(start: time)
    }

    // MARK: Keys

    mutating func press(_ key: Key, at time: Double) -> [Effect] {
        // Ctrl-Z works in every mode.
        if InboxKeys.command(of: key.name) == .suspend { return [.suspend] }
        switch mode {
        case .browsing:
            guard let command = InboxKeys.command(of: key.name) else { return [] }
            return run(command, at: time)
        case .prompt(let prompt): return type(key, into: prompt, at: time)
        case .lines(let title, let lines, let scroll, let effect):
            return read(key, title, lines, scroll, effect)
        case .question(_, let effect):
            mode = .browsing
            if key == .text("y") { return [effect] }
            status = Status(text: "Nothing was done.")
            return []
        }
    }

    private mutating func run(_ command: InboxAction, at time: Double) -> [Effect] {
        status = nil
        switch command {
        case .quit: return [.quit]
        case .redraw: return [.redraw]
        case .suspend: return [.suspend]
        case .help: mode = .lines(title: "Keys", InboxKeys.help, scroll: 0)
        case .undo: return undo()
        case .search: ask(.search, "Search:", query)
        case .leave:
            model.clearSelection()
            if model.found != nil { model.show(only: nil) }
        case .down: move { $0.moveFocus(by: 1) }
        case .up: move { $0.moveFocus(by: -1) }
        case .first: move { $0.setFocus(0) }
        case .last: move { $0.setFocus($0.rows.count - 1) }
        case .select: move { $0.toggleSelection() }
        case .scroll:
            if scroll + page.height < page.lines {
                scroll += max(1, page.height - 1)
            } else {
                move { $0.moveFocus(by: 1) }
            }
        case .archive, .trash, .junk, .deferUntil, .task, .delegate, .wait, .label, .move, .reply, .replyAll,
            .forward, .unsubscribe, .why, .rule:
            guard let item = model.item else {
                status = Status(
                    text: model.isEmpty ? "No messages left." : "The search shows no message; Esc leaves it.")
                return []
            }
            return run(command, on: item, at: time)
        }
        return []
    }

    private mutating func run(_ command: InboxAction, on item: InboxItem, at time: Double) -> [Effect] {
        if command.isForOneMail, model.targets.contains(where: { model.items[$0].isBundle }) {
            status = Status(
                text: "A bundle has several messages, and this needs one: opus bundle list shows them.",
                isWarning: true)
            return []
        }
        switch command {
        case .archive: return decide(.archive, at: time)
        case .trash: return decide(.trash, at: time)
        case .junk: return decide(.junk, at: time)
        case .deferUntil: ask(.deferUntil, "Defer until (friday, +2 weeks, someday):")
        case .task:
            // One title is for one task.
            guard model.targets.count == 1 else { return decide(.task(title: ""), at: time) }
            ask(.task, "Task:", HarmlessText.line(item.subject))
        case .delegate: ask(.delegate, "Delegate to (address):")
        case .wait: ask(.wait, "Wait; ask again on (friday; empty: no day):")
        case .label: ask(.label, "Label:")
        case .move: ask(.move, "Move to mailbox:")
        case .rule: ask(.rule, "Make a rule; then (archive, trash, 'label: NAME'):", "archive")
        case .reply: return [.write(.reply, item)]
        case .replyAll: return [.write(.replyAll, item)]
        case .forward: return [.write(.forward, item)]
        case .unsubscribe: return [.planUnsubscribe(item)]
        case .why: return [.explain(item)]
        case .undo, .search, .help, .scroll, .select, .down, .up, .first, .last, .redraw, .leave,
            .suspend, .quit:
            break
        }
        return []
    }

    private mutating func move(_ change: (inout InboxModel) -> Void) {
        let before = model.focused
        change(&model)
        if model.focused != before { scroll = 0 }
    }

    mutating func decide(_ verb: InboxVerb, at time: Double) -> [Effect] {
        guard let item = model.item else { return [] }
        if let reason = check(verb, item) {
            status = Status(text: reason, isWarning: true)
            return []
        }
        guard let order = model.decide(verb) else { return [] }
        if verb.decides {
            pace.note(at: time, count: order.items.count)
            scroll = 0
        }
        let what = order.items.count == 1 ? order.items[0].subject : "\(order.items.count) conversations"
        status = Status(text: verb.word + ": " + what)
        return [.order(order)]
    }

    private mutating func undo() -> [Effect] {
        guard let (number, verb) = model.takeBack() else {
            status = Status(text: "Nothing left to undo in this session.")
            return []
        }
        scroll = 0
        status = Status(text: "undone: " + verb.word)
        return [.undo(number)]
    }

    // MARK: A line that is typed

    private mutating func ask(_ purpose: Prompt.Purpose, _ title: String, _ typed: String = "") {
        // There is room to type more.
        mode = .prompt(
            Prompt(purpose: purpose, title: title, typed: String(typed.prefix(Self.longestLine / 2))))
    }

    /// The longest line that can be typed.
    private static let longestLine = 500

    private mutating func type(_ key: Key, into prompt: Prompt, at time: Double) -> [Effect] {
        var prompt = prompt
        switch key {
        case .text(let character): prompt.typed.append(character)
        case .pasted(let text): prompt.typed += text.prefix { !$0.isNewline }
        case .named("backspace"): if !prompt.typed.isEmpty { prompt.typed.removeLast() }
        case .named("ctrl-u"): prompt.typed = ""
        case .named("ctrl-w"):
            while prompt.typed.last == " " { prompt.typed.removeLast() }
            while let last = prompt.typed.last, last != " " { prompt.typed.removeLast() }
        case .named("esc"), .named("ctrl-c"):
            mode = .browsing
            return []
        case .named("enter"):
            mode = .browsing
            return entered(prompt, at: time)
        case .named: break
        }
        prompt.typed = String(prompt.typed.prefix(Self.longestLine))
        mode = .prompt(prompt)
        return []
    }

    private mutating func entered(_ prompt: Prompt, at time: Double) -> [Effect] {
        let text = prompt.typed.trimmed
        switch prompt.purpose {
        case .task: return decide(.task(title: text), at: time)
        case .wait: return decide(.wait(until: text), at: time)
        case .note(let whom): return decide(.delegate(to: whom, note: text), at: time)
        case .search:
            query = text
            guard !text.isEmpty else {
                model.show(only: nil)
                return []
            }
            return [.search(text)]
        case .deferUntil, .delegate, .label, .move, .rule: break
        }
        guard !text.isEmpty else { return [] }
        switch prompt.purpose {
        case .deferUntil: return decide(.deferUntil(text), at: time)
        case .label: return decide(.label(text), at: time)
        case .move: return decide(.move(to: text), at: time)
        case .rule: return [.makeRule(model.targets.map { model.items[$0] }, then: text)]
        case .delegate:
            if let reason = model.item.flatMap({ check(.delegate(to: text, note: ""), $0) }) {
                status = Status(text: reason, isWarning: true)
            } else {
                ask(.note(whom: text), "Note above the mail (may be empty):")
            }
            return []
        case .task, .wait, .note, .search: return []
        }
    }

    private mutating func read(
        _ key: Key, _ title: String, _ lines: [String], _ scroll: Int, _ effect: Effect?
    ) -> [Effect] {
        let isMore = scroll + page.height < lines.count
        let next: Int
        switch key.name {
        case "space", "page-down": next = scroll + max(1, page.height - 1)
        case "down", "j": next = scroll + 1
        case "up", "k": next = max(0, scroll - 1)
        case _:
            mode = .browsing
            guard let effect else { return [] }
            if key == .text("y") { return [effect] }
            status = Status(text: "Nothing was done.")
            return []
        }
        // At the end, the same key that scrolls goes back.
        if next <= scroll || isMore {
            mode = .lines(title: title, lines, scroll: next, then: effect)
        } else if effect == nil {
            mode = .browsing
        }
        return []
    }

    // MARK: News

    /// With the subject: the user has moved on since.
    private func words(of failure: InboxFailure) -> String {
        guard let message = failure.message,
            let item = model.items.first(where: { $0.messages.contains(message) })
        else { return failure.reason }
        let subject = item.subject.prefix(Self.longestSubject)
        return "“\(subject)\(subject.count < item.subject.count ? "…" : "")”: \(failure.reason)"
    }

    private mutating func show(_ failures: [InboxFailure], hint: String = "") {
        guard let first = failures.first else { return }
        let more = failures.count > 1 ? ", and \(failures.count - 1) more" : ""
        status = Status(text: "failed: \(words(of: first))\(more)\(hint)", isWarning: true)
    }

    private static func decisions(_ failures: [InboxFailure]) -> [(order: Int, message: EmailID)] {
        failures.compactMap { failure in
            failure.order.flatMap { order in failure.message.map { (order, $0) } }
        }
    }

    /// The longest subject in the bottom line, in characters.
    private static let longestSubject = 20

    mutating func hear(_ news: InboxNews) {
        switch news {
        case .booked: break
        case .refused(let number, let reason):
            model.refuse(number)
            status = Status(text: "not done: " + reason, isWarning: true)
        case .undone(_, stays: let reason):
            if let reason { status = Status(text: "a part stays: " + reason, isWarning: true) }
        case .stuck(_, let reason): status = Status(text: "not undone: " + reason, isWarning: true)
        case .delivered(let failures):
            offline = nil
            for (order, message) in Self.decisions(failures) { model.fail(order, message) }
            show(failures, hint: " (opus status)")
        case .departed(let failures):
            for (order, message) in Self.decisions(failures) { model.depart(order, message) }
            show(failures)
        case .offline(let reason): offline = reason
        case .locked:
            status = Status(
                text: "another opus command uses the workspace; the changes wait for it", isWarning: true)
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = Substring(self)
        while text.first?.isWhitespace ?? false { text.removeFirst() }
        while text.last?.isWhitespace ?? false { text.removeLast() }
        return String(text)
    }
}
