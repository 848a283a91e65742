import Models
import YAMLSource

/// `copy: Projects/Acme`: puts a copy of the message into another mailbox, and leaves the message where it is.
struct CopyAction: ActionTemplate {
    static let entry = ActionEntry(
        .copy, value: "a mailbox", form: .text, help: "put a copy of it into that mailbox",
        example: "copy: Projects/Acme")

    let mailbox: String

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        source.mailbox(node, of: entry).map { [Self(mailbox: $0)] } ?? []
    }

    var mailboxName: String? { mailbox }

    func make(_ maker: inout ActionMaker) -> Action? {
        let facts = maker.rendering.view.facts
        guard let found = maker.mailbox(mailbox) else {
            return maker.fail("copies to '\(mailbox)', but that mailbox does not exist")
        }
        switch CopyRefusal(of: facts, to: found) {
        case nil: return .copy(to: found)
        case .ownMail: return maker.fail("copies to \(found.displayName), which is for mail that you write")
        case .noMessageID: return maker.fail("copies a message that has no Message-ID")
        case .tooLarge:
            return maker.fail("copies a message that is larger than \(CopyRefusal.largestMegabytes) MB")
        }
    }

    static let expectation: ActionExpectation? = .text(.copy) {
        if case .make(.copy(let mailbox)) = $0 { mailbox.displayName } else { nil }
    }

    /// RFC 3894.
    func export(to script: inout SieveCommands) -> Bool {
        let name = SieveCondition.quoted(script.mailbox(mailbox))
        // The copy has none of the marks that rules add. RFC 5232 §5.
        return script.add(
            "fileinto :copy :flags \"\" \(name);", requires: "fileinto", "copy", "imap4flags")
    }
}
