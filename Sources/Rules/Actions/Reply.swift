import Models
import YAMLSource

/// `reply: 'Thanks'`: writes a reply to the message.
struct ReplyAction: ActionTemplate {
    static let entry = ActionEntry(
        .reply, value: "a text, or a mapping", form: .text, fields: ["text", "subject", "send"],
        required: ["text"], help: "answer it", example: "reply: { text: 'Thanks, {{from.name}}.' }")

    var text: Template
    var subject: Template?
    var sending = Delegation.Sending.draft

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        guard node.mapping != nil else {
            return source.template(node, "'reply'").map { [Self(text: $0)] } ?? []
        }
        guard let place = source.required("text", in: node, of: entry, "reply: { text: 'Thanks.' }"),
            let text = source.template(place, "'text'")
        else { return [] }
        var result = Self(text: text)
        result.subject = node["subject"].flatMap { source.template($0, "'subject'") }
        guard let sending = source.sending(node["send"]) else { return [] }
        result.sending = sending
        return [result]
    }

    var usesText: Bool { text.usesText || subject?.usesText ?? false }
    var needs: FactNeeds { .headers }

    private static let mostRecipients = 5

    func make(_ maker: inout ActionMaker) -> Action? {
        let facts = maker.rendering.view.facts
        let named = [facts.replyTo, facts.from].map { $0.filter { !$0.addrSpec.isEmpty } }
        let to = Array((named.first { !$0.isEmpty } ?? []).prefix(Self.mostRecipients))
        guard !to.isEmpty else { return maker.fail("answers, but the message has no address to answer to") }
        if let bad = to.first(where: { !ActionMaker.canReach($0) }) {
            return maker.fail("answers, but no mail can be sent to \(bad.addrSpec)")
        }
        if let own = to.first(where: { maker.isMe($0) }) {
            return maker.fail("writes to \(own.addrSpec), which is you")
        }
        var result = Letter(.reply, to: to, text: maker.rendering.text(text))
        result.subject = subject.map { maker.rendering.text($0) }
        result.sending = maker.sending(sending)
        return .letter(result)
    }

    static let expectation: ActionExpectation? = .address(.reply) { $0.recipients(of: .reply) }
}

extension Action {
    /// The addresses of a letter of this kind, separated by commas.
    func recipients(of kind: Letter.Kind) -> String? {
        guard case .make(.letter(let letter)) = self, letter.kind == kind else { return nil }
        return letter.to.map(\.comparable).joined(separator: ", ")
    }
}
