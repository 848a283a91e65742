import MIMEParser
import Models
import YAMLSource

/// Where an action is written, and the readers for values that several actions accept. Findings go to the
/// report.
struct ActionSource {
    let report: Report
    /// The named groups of the rule's patterns.
    let captures: Set<String>

    func template(_ node: YAMLNode, _ what: String) -> Template? {
        report.template(node, what, captures: captures)
    }

    func date(_ node: YAMLNode, _ what: String) -> Template? {
        report.date(node, what, captures: captures)
    }

    /// The required field of the mapping form. Unknown keys are reported.
    func required(_ field: String, in node: YAMLNode, of entry: ActionEntry, _ example: String) -> YAMLNode? {
        let areKnown = report.checkKeys(
            node.mapping ?? [], entry.fields, code: "R014", "field of '\(entry.name)'")
        if let found = node[field] { return found }
        if areKnown { report.error("R003", node, "'\(entry.name)' needs '\(field)'", example) }
        return nil
    }

    /// The name of a mailbox. Never a template: untrusted text must not choose where mail goes.
    func mailbox(_ node: YAMLNode, of entry: ActionEntry) -> String? {
        guard let name = report.text(node, "'\(entry.name)'") else { return nil }
        guard !name.contains("{{") else {
            report.error("R020", node, "the name of a mailbox cannot contain a template", entry.example)
            return nil
        }
        return name
    }

    /// The default is false; nil after an error.
    func isYes(_ node: YAMLNode?, _ what: String) -> Bool? {
        guard let node else { return false }
        switch node.scalar {
        case "true": return true
        case "false": return false
        case _:
            report.error("R020", node, "\(what) must be true or false")
            return nil
        }
    }

    /// The default is `draft`; nil after an error.
    func sending(_ node: YAMLNode?) -> Delegation.Sending? {
        guard let node else { return .draft }
        if let sending = node.scalar.flatMap({ Delegation.Sending(rawValue: $0) }) { return sending }
        report.error("R020", node, "'send' must be draft or now")
        return nil
    }

    func address(_ node: YAMLNode, _ what: String) -> EmailAddress? {
        report.address(node, what)
    }

    // MARK: Waits

    /// A field with two names; the second is the older one.
    func either(_ name: String, or old: String, in node: YAMLNode) -> YAMLNode? {
        if node[name] != nil, let other = node[old] {
            report.error("R020", other, "'\(old)' is the old name of '\(name)': use only '\(name)'")
        }
        return node[name] ?? node[old]
    }

    /// The day on which to ask again.
    func followUp(in node: YAMLNode) -> Template? {
        let what = node["until"] == nil ? "'follow-up'" : "'until'"
        return either("until", or: "follow-up", in: node).flatMap { date($0, what) }
    }

    func onReply(_ node: YAMLNode?) -> ReplyPolicy? { node?.scalar.flatMap(ReplyPolicy.init(rawValue:)) }

    /// False after an error.
    func isSound(onReply node: YAMLNode?) -> Bool {
        guard let node, onReply(node) == nil else { return true }
        report.error("R020", node, "'on-reply' must be decide, close or keep")
        return false
    }
}

extension Report {
    func address(_ node: YAMLNode, _ what: String, orElse other: String? = nil) -> EmailAddress? {
        guard let text = text(node, what) else { return nil }
        let example = "bob@acme.example" + (other.map { ", or \($0)" } ?? "")
        do throws(BuilderError) {
            // As strict as the addresses of a draft, because mail is sent there.
            let found = try DraftText.addresses(text, field: what)
            if found.count == 1, AddressText.one(text) != nil { return found[0] }
            error("R023", node, "'\(text)' is not an address", example)
        } catch {
            guard let mistake = error.mistake, error.offset > 0 else {
                self.error("R023", node, "'\(text)' is not an address", example)
                return nil
            }
            add(
                QueryProblem(
                    code: "R023", offset: min(error.offset, text.count - 1), length: 1,
                    message: "'\(text)' is not an address: \(mistake)", suggestion: example), in: node)
        }
        return nil
    }
}
