import Models
import YAMLSource

/// Reads `then:`: a list of actions, each a word or a word with its value.
struct ActionReader {
    let report: Report
    /// The named groups that the rule's patterns make.
    let captures: Set<String>

    /// An action and the place that asked for it.
    typealias Placed = (action: ActionTemplate, node: YAMLNode)

    func read(_ node: YAMLNode) -> [Placed] {
        let result = (node.sequence ?? [node]).flatMap { item($0) }
        let dispositions = result.filter { $0.action.isDisposition }
        if dispositions.count > 1 {
            report.error(
                "R050", dispositions[1].node,
                "two places for one message: '\(dispositions[0].action.name)' and '\(dispositions[1].action.name)'",
                "keep one of them")
        }
        if let waiting = result.first(where: { $0.action.name == "waiting" }),
            result.contains(where: { $0.action.name == "delegate" })
        {
            report.error(
                "R050", waiting.node, "'delegate' waits for the answer already", "leave 'waiting' out")
        }
        return result
    }

    private func item(_ node: YAMLNode) -> [Placed] {
        switch node.kind {
        case .scalar(let text, _):
            guard let entry = entry(text, at: node) else { return [] }
            guard let simple = Self.simple(entry) else {
                report.error("R020", node, "'\(text)' needs a value: \(entry.value)", entry.example)
                return []
            }
            return [(simple, node)]
        case .mapping(let pairs):
            return pairs.flatMap { key, value -> [Placed] in
                guard let name = key.scalar, let entry = entry(name, at: key) else { return [] }
                return action(entry, value).map { ($0, key) }
            }
        case .sequence:
            report.error("R002", node, "an action is a word or a mapping, not a list")
            return []
        }
    }

    private func entry(_ name: String, at node: YAMLNode) -> ActionEntry? {
        guard let entry = ActionTable.entry(name) else {
            let similar = nearest(to: name, among: ActionTable.names)
            report.error(
                "R013", node, "unknown action '\(name)'",
                ForeignWords.action(name).map { "did you mean '\($0)'?" } ?? similar.map {
                    "did you mean '\($0)'?"
                }
                    ?? "one of: \(ActionTable.names.joined(separator: ", "))")
            return nil
        }
        return entry
    }

    private static func simple(_ entry: ActionEntry) -> ActionTemplate? {
        switch entry.kind {
        case .keep: .keep
        case .archive: .archive
        case .trash: .trash
        case .junk: .junk
        case .flag: .flag
        case .unflag: .unflag
        case .unsubscribe: .unsubscribe
        case .waiting: .waiting(WaitingTemplate())
        case .saveAttachment: .saveFiles(SavingTemplate())
        case .notify: LetterReader.usualNotice.map { .notify($0) }
        case .move, .deferUntil, .label, .unlabel, .mark, .task, .delegate, .vacation, .reply, .forward:
            nil
        }
    }

    private func action(_ entry: ActionEntry, _ node: YAMLNode) -> [ActionTemplate] {
        if entry.value.isEmpty, let simple = Self.simple(entry) {
            if !node.isEmpty, node.scalar != "true" {
                report.error("R020", node, "'\(entry.name)' takes no value")
            }
            return [simple]
        }
        switch entry.kind {
        case .move: return mailbox(node).map { [.move($0)] } ?? []
        case .deferUntil: return deferral(node).map { [.deferUntil($0)] } ?? []
        case .label: return labels(node).map { .label($0) }
        case .unlabel: return labels(node).map { .unlabel($0) }
        case .mark: return mark(node).map { [.mark(read: $0)] } ?? []
        case .task: return TaskReader(report: report, captures: captures).read(node).map { [.task($0)] } ?? []
        case .delegate: return delegate(node).map { [.delegate($0)] } ?? []
        case .vacation:
            return VacationReader(report: report, captures: captures).read(node).map { [.vacation($0)] } ?? []
        case .waiting: return letters.waiting(node).map { [.waiting($0)] } ?? []
        case .reply: return letters.reply(node).map { [.letter($0)] } ?? []
        case .forward: return letters.forward(node).map { [.letter($0)] } ?? []
        case .saveAttachment:
            return SavingReader(report: report).read(node).map { [.saveFiles($0)] } ?? []
        case .notify: return letters.notify(node).map { [.notify($0)] } ?? []
        case .keep, .archive, .trash, .junk, .flag, .unflag, .unsubscribe: return []
        }
    }

    private var letters: LetterReader { LetterReader(report: report, captures: captures) }

    private func mailbox(_ node: YAMLNode) -> String? {
        guard let name = report.text(node, "'move'") else { return nil }
        guard !name.contains("{{") else {
            report.error("R020", node, "a mailbox cannot be named by the mail", "move: Projects/Acme")
            return nil
        }
        return name
    }

    private func deferral(_ node: YAMLNode) -> Template? {
        guard let pairs = node.mapping else { return report.date(node, "'defer'", captures: captures) }
        let areKnown = report.checkKeys(pairs, ["until"], code: "R014", "field of 'defer'")
        guard let until = node["until"] else {
            if areKnown {
                report.error("R003", node, "'defer' needs 'until'", "defer: { until: next monday }")
            }
            return nil
        }
        return report.date(until, "'until'", captures: captures)
    }

    private func labels(_ node: YAMLNode) -> [Template] {
        if let nodes = node.sequence, nodes.isEmpty {
            report.error("R003", node, "the list of labels is empty")
        }
        return (node.sequence ?? [node]).compactMap { item in
            guard let template = report.template(item, "a label", captures: captures) else { return nil }
            if let text = template.constant, !Keyword.isValid(text) {
                report.error(
                    "R020", item, "'\(text)' cannot be a label", "letters, digits and - _ . / without blanks")
                return nil
            }
            return template
        }
    }

    private func mark(_ node: YAMLNode) -> Bool? {
        switch node.scalar {
        case "read": return true
        case "unread": return false
        case _:
            report.error("R020", node, "'mark' is read or unread")
            return nil
        }
    }

    // MARK: delegate

    private func delegate(_ node: YAMLNode) -> DelegateTemplate? {
        guard let pairs = node.mapping else {
            return report.address(node, "'to'").map { DelegateTemplate(to: $0) }
        }
        let areKnown = report.checkKeys(
            pairs, ActionTable.delegateFields, code: "R014", "field of 'delegate'")
        guard let to = node["to"] else {
            if areKnown {
                report.error("R003", node, "'delegate' needs 'to'", "delegate: { to: bob@acme.example }")
            }
            return nil
        }
        guard let address = report.address(to, "'to'") else { return nil }
        var result = DelegateTemplate(to: address)
        result.note = node["note"].flatMap { report.template($0, "'note'", captures: captures) }
        result.followUp = node["follow-up"].flatMap { report.date($0, "'follow-up'", captures: captures) }
        guard let sending = report.sending(node["send"]) else { return nil }
        result.sending = sending
        return result
    }
}
