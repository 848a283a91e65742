import Models
import Pipeline

/// A plan as text: a block for each message, with a symbol before each action.
///
/// `+` creates, `~` changes, `>` sends, `-` removes, `·` changes nothing.
struct PlanText {
    private let plan: Plan
    private let ids: [EmailID: String]
    private let when: When
    private let style: Style
    private let width: Int
    /// The bundle of each label that makes one.
    private let labels: [Keyword: Bundle]

    init(
        plan: Plan, ids: [EmailID: String], when: When, style: Style, width: Int,
        labels: [Keyword: Bundle] = [:]
    ) {
        self.plan = plan
        self.ids = ids
        self.when = when
        self.style = style
        self.width = width
        self.labels = labels
    }

    /// The changes, by message and bundle; unchanged messages are only counted.
    func lines() -> [String] {
        plan.shown(labels: labels).flatMap { entry in
            switch entry {
            case .message(let item):
                block(
                    item, ids[item.message] ?? "????", from: item.from?.name ?? "(no sender)",
                    subject: item.subject.isEmpty ? "(no subject)" : item.subject)
            case .bundle(let names, let items):
                items.first.map {
                    block($0, blankID($0), from: names.bundle.name, subject: names.counts)
                } ?? []
            }
        }
    }

    /// Blanks as wide as the id of a message.
    private func blankID(_ item: Plan.Item) -> String {
        String(repeating: " ", count: ids[item.message]?.count ?? 4)
    }

    /// `item`: the message, or one of those with which the same happens.
    private func block(_ item: Plan.Item, _ id: String, from: String, subject: String) -> [String] {
        let actions = zip(item.decisions, plan.alreadyDone(item)).filter { $0.0.action != .keep }
        let symbol = Self.strongest(
            actions.filter { !$0.1 }.compactMap { text(of: $0.0.action, item, width).first })
        let left = " \(symbol) \(id)  "
        let name = TerminalText.padded(TerminalText.truncated(TerminalText.line(from), to: 18), to: 18)
        let room = max(20, width - 4 - TerminalText.width(left) - 20)
        let subject = TerminalText.truncated(TerminalText.line(subject), to: room)
        var lines = [left + name + "  " + (actions.isEmpty ? subject : style.bold(subject))]
        let indent = String(repeating: " ", count: TerminalText.width(left))
        var rule = ""
        let actionRoom = max(20, width - TerminalText.width(left) - 22)
        for (decision, isDone) in actions {
            let heading = decision.rule == rule ? String(repeating: " ", count: 22) : ruleName(decision.rule)
            rule = decision.rule
            let text = text(of: decision.action, item, actionRoom)
            lines.append(
                indent + heading + (isDone ? style.dim("·" + text.dropFirst() + " (already done)") : text))
        }
        if let protector = item.protectedBy {
            lines.append(indent + style.yellow("! protected: \(TerminalText.line(protector))"))
        }
        for warning in item.warnings {
            lines.append(indent + style.yellow("! " + TerminalText.line(warning)))
        }
        return lines
    }

    private func ruleName(_ rule: String) -> String {
        style.cyan(TerminalText.padded(TerminalText.truncated(TerminalText.line(rule), to: 21), to: 22))
    }

    /// `room`: the columns to which long text is cut.
    private func text(of action: Action, _ item: Plan.Item, _ room: Int) -> String {
        let scope =
            item.threadKeys.isEmpty ? "" : " (thread, \(counted(item.threadKeys.count + 1, "message")))"
        switch action {
        case .place(let place): return self.place(place) + (place == .keep ? "" : scope)
        case .mark(let mark): return "~ " + Self.mark(mark)
        case .make(let make): return self.make(make, room)
        case .tell(.notify(let text)):
            return "! notify: " + TerminalText.truncated(TerminalText.line(text), to: max(20, room - 12))
        case .tell(.unsubscribe): return "! suggest to unsubscribe (opus unsubscribe)"
        }
    }

    private func place(_ place: Action.Place) -> String {
        switch place {
        case .keep: "· keep"
        case .archive: "~ archive"
        case .trash: "- move to trash"
        case .junk: "~ move to junk"
        case .move(let mailbox):
            "~ move to \(TerminalText.line(mailbox.displayName))"
                + (plan.makes(mailbox) ? " (new mailbox)" : "")
        case .deferUntil(.time(let time)): "~ defer until \(when.moment(time))"
        case .deferUntil(.someday): "~ defer to someday"
        }
    }

    private static func mark(_ mark: Action.Mark) -> String {
        switch mark {
        case .label(let keyword): "label \(TerminalText.line(keyword.rawValue))"
        case .unlabel(let keyword): "remove label \(TerminalText.line(keyword.rawValue))"
        case .bundle(let keyword): "bundle \(TerminalText.line(Bundle(keyword)?.name ?? keyword.rawValue))"
        case .flag: "flag"
        case .unflag: "remove flag"
        case .read(let isRead): isRead ? "mark as read" : "mark as unread"
        }
    }

    private func make(_ make: Action.Make, _ room: Int) -> String {
        switch make {
        case .task(let draft): return "+ " + task(draft, room - 2)
        case .delegate(let delegation): return "> " + delegate(delegation)
        case .vacation(let reply):
            let verb = reply.sending == .now ? "answer" : "draft an answer to"
            return "> \(verb) \(TerminalText.line(reply.to.addrSpec))"
        case .letter(let letter): return "> " + self.letter(letter)
        case .waiting(let waiting):
            let follow = waiting.followUp.map { ", follow-up \(when.text($0))" } ?? ""
            let people = waiting.people.map { TerminalText.line($0.addrSpec) }.joined(separator: ", ")
            return "+ waiting-for \(people)" + follow
        case .copy(let mailbox): return "+ copy to \(TerminalText.line(mailbox.displayName))"
        case .saveFiles(let saving): return "+ " + self.saving(saving)
        }
    }

    private func task(_ draft: TodoDraft, _ room: Int) -> String {
        var words = [TerminalText.line(draft.list.rawValue)]
        words += draft.contexts.map { TerminalText.line($0) }
        if let start = draft.start { words.append("from \(when.text(start))") }
        if let due = draft.due { words.append("due \(when.text(due))") }
        let rest = words.joined(separator: " ")
        let titleRoom = max(20, room - TerminalText.width("task “” " + rest))
        return "task “\(TerminalText.truncated(TerminalText.line(draft.summary), to: titleRoom))” \(rest)"
    }

    private func saving(_ saving: SavedFiles) -> String {
        let files = zip(saving.paths, saving.files).map { path, file in
            "\(TerminalText.line(path)) (\(counted(file.size, "byte")))"
        }
        return "save " + files.joined(separator: ", ")
    }

    private func letter(_ letter: Letter) -> String {
        let verb = letter.kind == .reply ? "answer" : "forward"
        let to = letter.to.map { TerminalText.line($0.addrSpec) }.joined(separator: ", ")
        return letter.sending == .now ? "\(verb) to \(to)" : "draft: \(verb) to \(to)"
    }

    private func delegate(_ delegation: Delegation) -> String {
        let verb = delegation.sending == .now ? "send" : "draft"
        let follow = delegation.followUp.map { ", follow-up \(when.text($0))" } ?? ""
        let person = TerminalText.line(delegation.to.addrSpec)
        if delegation.isWritten == true { return "waiting-for \(person)" + follow }
        return "\(verb) to \(person); + waiting-for\(follow)"
    }

    /// The most important symbol of a block.
    private static func strongest(_ symbols: [Character]) -> Character {
        ">+-~!".first { symbols.contains($0) } ?? "·"
    }
}

extension PlanTotals {
    var sentence: String {
        var parts: [String] = []
        let add = { (count: Int, one: String, many: String) in
            if count > 0 { parts.append(counted(count, one, many)) }
        }
        add(tasks, "task", "tasks")
        add(waitingFor, "waiting-for", "waiting-for")
        add(notices, "notice", "notices")
        add(copied, "copy", "copies")
        add(saved, "file saved", "files saved")
        add(drafts, "draft", "drafts")
        add(sends, "mail sent", "mails sent")
        add(archived, "archived", "archived")
        add(moved, "moved", "moved")
        add(deferred, "deferred", "deferred")
        add(trashed, "to trash", "to trash")
        add(marked, "mark", "marks")
        add(alreadyDone, "already done", "already done")
        add(stays, "stays", "stay")
        let list = parts.isEmpty ? "nothing to do" : parts.joined(separator: ", ")
        return "Plan: \(list). " + (sends == 0 ? "Nothing is sent. " : "") + "Nothing is deleted."
    }
}

extension Plan {
    /// Whether a list of the plan has a line for it: something happens to the message, or something was prevented.
    func isShown(_ item: Item) -> Bool {
        !item.isUntouched || item.protectedBy != nil || !item.warnings.isEmpty
    }

    func shown(labels: [Keyword: Bundle]) -> [PlanEntry] {
        entries(of: items.filter(isShown), labels: labels)
    }
}
