import Models
import YAMLSource

/// `forward: books@acme.example`: forwards the message, without waiting for an answer.
struct ForwardAction: ActionTemplate {
    static let entry = ActionEntry(
        .forward, value: "an address, or a mapping", form: .text, fields: ["to", "note", "send"],
        required: ["to"], help: "forward it, without waiting",
        example: "forward: { to: books@acme.example, note: 'For May.' }")

    /// Never a template: untrusted text must not choose the recipient.
    var to: EmailAddress
    var note: Template?
    var sending = Delegation.Sending.draft

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        guard node.mapping != nil else {
            return source.address(node, "'forward'").map { [Self(to: $0)] } ?? []
        }
        guard
            let place = source.required("to", in: node, of: entry, "forward: { to: books@acme.example }"),
            let to = source.address(place, "'to'")
        else { return [] }
        var result = Self(to: to)
        result.note = node["note"].flatMap { source.template($0, "'note'") }
        guard let sending = source.sending(node["send"]) else { return [] }
        result.sending = sending
        return [result]
    }

    var usesText: Bool { note?.usesText ?? false }
    var needs: FactNeeds { .headers }
    var fixedRecipient: EmailAddress? { to }

    func make(_ maker: inout ActionMaker) -> Action? {
        guard !maker.isMe(to) else { return maker.fail("writes to \(to.addrSpec), which is you") }
        var result = Letter(
            .forward, to: [maker.named(to)], text: note.map { maker.rendering.text($0) } ?? "")
        result.sending = maker.sending(sending)
        return .letter(result)
    }

    static let expectation: ActionExpectation? = .address(.forward) { $0.recipients(of: .forward) }
}
