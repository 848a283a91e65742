import Models
import YAMLSource

/// `move: Projects/Acme`: moves the message to a mailbox.
struct MoveAction: ActionTemplate {
    static let entry = ActionEntry(
        .move, value: "a mailbox", form: .text, help: "move it to that mailbox",
        example: "move: Projects/Acme"
    )

    let mailbox: String

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        source.mailbox(node, of: entry).map { [Self(mailbox: $0)] } ?? []
    }

    var mailboxName: String? { mailbox }

    func make(_ maker: inout ActionMaker) -> Action? {
        guard let found = maker.mailbox(mailbox) else {
            return maker.fail("moves to '\(mailbox)', but there is no such mailbox")
        }
        return .move(to: found)
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
        script.place = mailbox
        return true
    }
}
