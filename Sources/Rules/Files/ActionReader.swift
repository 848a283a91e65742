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
                similar.map { "did you mean '\($0)'?" }
                    ?? "one of: \(ActionTable.names.joined(separator: ", "))")
            return nil
        }
        guard entry.isAvailable else {
            report.error("R070", node, "the action '\(name)' is not available yet")
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
        case .move, .deferUntil, .label, .unlabel, .mark, .task, .delegate, .vacation, nil: nil
        }
    }

    private func action(_ entry: ActionEntry, _ node: YAMLNode) -> [ActionTemplate] {
        if let simple = Self.simple(entry) {
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
        case .keep, .archive, .trash, .junk, .flag, .unflag, nil: return []
        }
    }

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
        guard let pairs = node.mapping else { return address(node).map { DelegateTemplate(to: $0) } }
        let areKnown = report.checkKeys(
            pairs, ActionTable.delegateFields, code: "R014", "field of 'delegate'")
        guard let to = node["to"] else {
            if areKnown {
                report.error("R003", node, "'delegate' needs 'to'", "delegate: { to: bob@acme.example }")
            }
            return nil
        }
        guard let address = address(to) else { return nil }
        var result = DelegateTemplate(to: address)
        result.note = node["note"].flatMap { report.template($0, "'note'", captures: captures) }
        result.followUp = node["follow-up"].flatMap { report.date($0, "'follow-up'", captures: captures) }
        if let send = node["send"] {
            guard let text = send.scalar, let sending = Delegation.Sending(rawValue: text) else {
                report.error("R020", send, "'send' is draft or now")
                return nil
            }
            result.sending = sending
        }
        return result
    }

    /// Never from a template: a stranger's text must not choose who gets the mail.
    private func address(_ node: YAMLNode) -> EmailAddress? {
        guard let text = report.text(node, "'to'") else { return nil }
        if let address = AddressText.one(text) { return address }
        report.error("R023", node, "'\(text)' is no address", "bob@acme.example")
        return nil
    }
}
