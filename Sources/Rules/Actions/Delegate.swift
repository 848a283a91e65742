import Models
import YAMLSource

/// `delegate: bob@acme.example`: forwards the message and makes a task that waits for the answer.
struct DelegateAction: ActionTemplate {
    static let entry = ActionEntry(
        .delegate, value: "an address, or a mapping", form: .text,
        fields: ["to", "note", "until", "on-reply", "send", "follow-up"],
        required: ["to"], help: "forward it to someone and wait for the answer",
        example: "delegate: { to: bob@acme.example, note: 'Yours please', until: +3 business days }")

    var to: EmailAddress
    var note: Template?
    var followUp: Template?
    var onReply: ReplyPolicy?
    var sending = Delegation.Sending.draft

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        guard node.mapping != nil else { return source.address(node, "'to'").map { [Self(to: $0)] } ?? [] }
        guard
            let place = source.required("to", in: node, of: entry, "delegate: { to: bob@acme.example }"),
            let address = source.address(place, "'to'")
        else { return [] }
        var result = Self(to: address)
        result.note = node["note"].flatMap { source.template($0, "'note'") }
        result.followUp = source.followUp(in: node)
        guard source.isSound(onReply: node["on-reply"]) else { return [] }
        result.onReply = source.onReply(node["on-reply"])
        guard let sending = source.sending(node["send"]) else { return [] }
        result.sending = sending
        return [result]
    }

    var usesText: Bool { [note, followUp].contains { $0?.usesText ?? false } }
    var needs: FactNeeds { .headers }
    var fixedRecipient: EmailAddress? { to }

    func make(_ maker: inout ActionMaker) -> Action? {
        guard !maker.isMe(to) else { return maker.fail("delegates to \(to.addrSpec), which is you") }
        guard !isAnswer(maker.rendering.view) else {
            return maker.keep("does not delegate the answer to \(to.addrSpec), who wrote it")
        }
        var result = Delegation(to: maker.named(to))
        result.note = note.map { maker.rendering.text($0) } ?? ""
        result.followUp = maker.followUp(followUp)
        result.onReply = onReply
        result.sending = maker.sending(sending)
        return .delegate(result)
    }

    /// Whether the person wrote the mail as an answer: they would get it back, each time.
    private func isAnswer(_ view: FactsView) -> Bool {
        view.facts.from.contains { $0.comparable == to.comparable }
            && ["in-reply-to", "references"].contains { !view.header($0).isEmpty }
    }

    static let expectation: ActionExpectation? = .init(key: "delegate") { node, report in
        let found = { @Sendable (outcome: RuleTestOutcome) in
            outcome.actions.lazy.compactMap { action -> EmailAddress? in
                if case .make(.delegate(let delegation)) = action { delegation.to } else { nil }
            }.first
        }
        if node.scalar == "none" {
            return { outcome in found(outcome).map { "delegate: expected none, got \($0.addrSpec)" } }
        }
        if let pairs = node.mapping {
            report.checkKeys(pairs, ["to"], code: "R015", "field of an expected delegation")
        }
        guard let address = report.address(node["to"] ?? node, "'to'") else { return nil }
        return { $0.unlike("delegate", address.comparable, found($0)?.comparable ?? "none") }
    }
}
