import MIMEParser
import Models
import YAMLSource

/// `waiting`: makes a task that waits for a person's answer, without sending a mail.
struct WaitingAction: ActionTemplate {
    static let entry = ActionEntry(
        .waiting, value: "nothing, or a mapping", form: .fields,
        fields: ["who", "until", "title", "on-reply", "for", "follow-up"],
        help: "wait for an answer: from the sender, or to your own mail from its recipients",
        example: "waiting: { until: +3 business days }")

    var on = Person.other
    var title: Template?
    var followUp: Template?
    var onReply: ReplyPolicy?

    static var plain: Self? { Self() }

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        guard !node.isEmpty else { return [Self()] }
        guard let pairs = source.report.mapping(node, "'waiting'") else { return [] }
        source.report.checkKeys(pairs, entry.fields, code: "R014", "field of 'waiting'")
        var result = Self()
        if let place = source.either("who", or: "for", in: node) {
            guard let person = Person(place, source) else { return [] }
            result.on = person
        }
        result.title = node["title"].flatMap { source.template($0, "'title'") }
        result.followUp = source.followUp(in: node)
        guard source.isSound(onReply: node["on-reply"]) else { return [] }
        result.onReply = source.onReply(node["on-reply"])
        return [result]
    }

    var usesText: Bool { [title, followUp].contains { $0?.usesText ?? false } }

    var needs: FactNeeds { [.headers, .tasks] }

    /// Also nil, without a warning, for mail that gets no answer, or for whose answer a task already waits: a note of the user
    /// to themselves, an automatic reply, a delivery report, and the mail of a delegation.
    func make(_ maker: inout ActionMaker) -> Action? {
        switch on {
        case .address: break
        case .other, .writer, .recipient: if Self.isNote(maker) { return nil }
        }
        let people = maker.people(on).filter(\.hasLocalPart)
        if Self.isAutomatic(maker) || Self.isOwn(maker) && Self.isDelegated(to: people, maker) { return nil }
        guard let first = people.first else {
            return maker.fail("waits for a person whom the message does not name")
        }
        guard !maker.isMe(first) else { return maker.fail("waits for \(first.addrSpec), which is you") }
        var result = Waiting(on: first)
        if people.count > 1 { result.others = Array(people.dropFirst()) }
        result.onReply = onReply
        result.title = title.map { maker.rendering.text($0) }
        result.followUp = maker.followUp(followUp)
        return .waiting(result)
    }

    /// Whether the user wrote it only to themselves.
    private static func isNote(_ maker: ActionMaker) -> Bool {
        let facts = maker.rendering.view.facts
        guard !facts.from.isEmpty, !facts.to.isEmpty else { return false }
        return (facts.from + facts.to + facts.cc + facts.bcc).allSatisfy(maker.isMe)
    }

    private static func isOwn(_ maker: ActionMaker) -> Bool {
        maker.rendering.view.facts.from.first.map(maker.isMe) == true
    }

    /// An automatic reply or a delivery report, by its header. RFC 3834 §5, RFC 3464.
    private static func isAutomatic(_ maker: ActionMaker) -> Bool {
        let facts = maker.rendering.view.facts
        if facts.from.contains(where: { $0.localPart.lowercased() == "mailer-daemon" }) { return true }
        return facts.headers.contains { field in
            let body = field.body.lowercased()
            return switch field.name.lowercased() {
            case "auto-submitted": body.contains("auto-replied")
            case "x-autoreply", "x-autorespond": body != "no"
            case "content-type": body.hasPrefix("multipart/report")
            case _: false
            }
        }
    }

    /// Whether a delegation in the conversation waits for one of these people.
    private static func isDelegated(to people: [EmailAddress], _ maker: ActionMaker) -> Bool {
        let asked = Set(people.map(\.mailComparable))
        return maker.rendering.view.todos.contains { todo in
            todo.isOpen && todo.list == .waiting && todo.delegatedMessageID != nil
                && todo.askedPeople.contains { asked.contains($0.mailComparable) }
        }
    }

    static let expectation: ActionExpectation? = .address(.waiting) {
        if case .make(.waiting(let waiting)) = $0 { waiting.on.comparable } else { nil }
    }
}

extension Person {
    /// An address, or the sender or the first recipient of the mail: nothing is sent to the person that a
    /// task waits for.
    fileprivate init?(_ node: YAMLNode, _ source: ActionSource) {
        guard let text = source.report.text(node, "'who'") else { return nil }
        switch text.filter({ $0 != " " }) {
        case "{{to.address}}", "{{to.name}}": self = .recipient
        case "{{from.address}}", "{{from.name}}": self = .writer
        case _:
            guard let address = source.address(node, "'who'") else { return nil }
            self = .address(address)
        }
    }
}
