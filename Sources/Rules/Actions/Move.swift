import Models
import YAMLSource

/// `move: Projects/Acme`: moves the message to a mailbox; `create: true` creates a missing mailbox.
struct MoveAction: ActionTemplate {
    static let entry = ActionEntry(
        .move, value: "a mailbox", form: .text, fields: ["to", "create"], required: ["to"],
        help: "move it to that mailbox; { to: …, create: true } makes a missing one",
        example: "move: Projects/Acme"
    )

    let mailbox: String
    var createsMailbox = false

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        guard node.mapping != nil else {
            return source.mailbox(node, of: entry).map { [Self(mailbox: $0)] } ?? []
        }
        guard
            let place = source.required(
                "to", in: node, of: entry, "move: { to: Projects/Acme, create: true }"),
            let mailbox = source.mailbox(place, of: entry),
            let creates = source.isYes(node["create"], "'create'")
        else { return [] }
        if creates, let problem = NewMailboxName.problem(with: mailbox) {
            source.report.error("R020", place, "'\(mailbox)' cannot be created: \(problem)")
            return []
        }
        return [Self(mailbox: mailbox, createsMailbox: creates)]
    }

    var mailboxName: String? { mailbox }

    func make(_ maker: inout ActionMaker) -> Action? {
        if let found = maker.mailbox(mailbox) { return .move(to: found) }
        guard createsMailbox else {
            return maker.fail("moves to '\(mailbox)', but that mailbox does not exist")
        }
        guard let new = maker.rendering.view.context.newMailbox?(mailbox) else {
            return maker.fail("moves to '\(mailbox)', and the account cannot have a mailbox of that name")
        }
        return .move(to: new)
    }

    static let expectation: ActionExpectation? = .init(key: "move") { node, report in
        guard let name = report.text(node, "'move'") else { return nil }
        return { outcome in
            if case .place(.move(let mailbox)) = outcome.disposition {
                return outcome.unlike("move", name, mailbox.displayName)
            }
            return "move: expected '\(name)', got \(outcome.disposition.name.rawValue)"
        }
    }

    func export(to script: inout SieveCommands) -> Bool {
        script.place = script.mailbox(mailbox)
        script.createsPlace = createsMailbox
        return true
    }
}
