import Models
import YAMLSource

/// Reads `reply:`, `forward:`, `waiting:` and `notify:`.
struct LetterReader {
    let report: Report
    /// The named groups that the rule's patterns make.
    let captures: Set<String>

    func reply(_ node: YAMLNode) -> LetterTemplate? {
        guard let pairs = node.mapping else {
            return report.template(node, "'reply'", captures: captures).map {
                LetterTemplate(kind: .reply, text: $0)
            }
        }
        let areKnown = report.checkKeys(pairs, ActionTable.replyFields, code: "R014", "field of 'reply'")
        guard let place = node["text"] else {
            if areKnown { report.error("R003", node, "'reply' needs 'text'", "reply: { text: 'Thanks.' }") }
            return nil
        }
        guard let text = report.template(place, "'text'", captures: captures) else { return nil }
        var result = LetterTemplate(kind: .reply, text: text)
        result.subject = node["subject"].flatMap { report.template($0, "'subject'", captures: captures) }
        guard let sending = report.sending(node["send"]) else { return nil }
        result.sending = sending
        return result
    }

    /// The address is never a template: a stranger's text must not choose who gets the mail.
    func forward(_ node: YAMLNode) -> LetterTemplate? {
        guard let pairs = node.mapping else {
            return report.address(node, "'forward'").map { LetterTemplate(kind: .forward, to: $0) }
        }
        let areKnown = report.checkKeys(pairs, ActionTable.forwardFields, code: "R014", "field of 'forward'")
        guard let place = node["to"] else {
            if areKnown {
                report.error("R003", node, "'forward' needs 'to'", "forward: { to: books@acme.example }")
            }
            return nil
        }
        guard let to = report.address(place, "'to'") else { return nil }
        var result = LetterTemplate(kind: .forward, to: to)
        result.text = node["note"].flatMap { report.template($0, "'note'", captures: captures) }
        guard let sending = report.sending(node["send"]) else { return nil }
        result.sending = sending
        return result
    }

    func waiting(_ node: YAMLNode) -> WaitingTemplate? {
        guard !node.isEmpty else { return WaitingTemplate() }
        guard let pairs = report.mapping(node, "'waiting'") else { return nil }
        report.checkKeys(pairs, ActionTable.waitingFields, code: "R014", "field of 'waiting'")
        var result = WaitingTemplate()
        if let place = node["for"] {
            guard let person = person(place) else { return nil }
            result.on = person
        }
        result.title = node["title"].flatMap { report.template($0, "'title'", captures: captures) }
        result.followUp = node["follow-up"].flatMap { report.date($0, "'follow-up'", captures: captures) }
        return result
    }

    /// An address, or the writer or the first recipient of the mail: nothing is sent to whom a task waits for.
    private func person(_ node: YAMLNode) -> WaitingTemplate.Person? {
        guard let text = report.text(node, "'for'") else { return nil }
        switch text.filter({ $0 != " " }) {
        case "{{to.address}}", "{{to.name}}": return .recipient
        case "{{from.address}}", "{{from.name}}": return .writer
        case _: return report.address(node, "'for'").map { .address($0) }
        }
    }

    func notify(_ node: YAMLNode) -> Template? {
        node.isEmpty ? Self.usualNotice : report.template(node, "'notify'", captures: captures)
    }

    static let usualNotice = try? Template("{{from.name}}: {{subject}}", captures: [])
}

extension Report {
    /// `draft` where nothing is said; nil after an error.
    func sending(_ node: YAMLNode?) -> Delegation.Sending? {
        guard let node else { return .draft }
        if let sending = node.scalar.flatMap({ Delegation.Sending(rawValue: $0) }) { return sending }
        error("R020", node, "'send' is draft or now")
        return nil
    }

    func address(_ node: YAMLNode, _ what: String) -> EmailAddress? {
        guard let text = text(node, what) else { return nil }
        if let address = AddressText.one(text) { return address }
        error("R023", node, "'\(text)' is no address", "bob@acme.example")
        return nil
    }
}
