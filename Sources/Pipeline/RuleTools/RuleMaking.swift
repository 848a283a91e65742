import Accounts
import MailStore
import Models
import RuleImport
import Rules

/// Makes a rule from existing mail, with tests for it.
struct RuleMaking: Sendable {
    let workspace: Workspace
    let loader: FactLoader
    let lookup: MessageLookup
    let now: Timestamp

    /// A rule that matches mail like these messages. If no actions are given, they are derived from the
    /// current places of the messages.
    ///
    /// `fileName`: the file for the rule, which determines its position; nil: after all others.
    func rule(from ids: [String], actions: [String], fileName: String?) throws -> MadeRule {
        let details = try ids.map { try lookup.message($0) }
        let library = RuleLibrary.load(workspace)
        guard library.errors.isEmpty else { throw DiagnosticFailure(library.diagnostics, exit: .badData) }
        let facts = try loader.facts(.ids(details.map(\.id)), needs: [.headers, .text])
        let examples = details.compactMap { detail in facts.first { $0.id == detail.id } }
        guard !examples.isEmpty else {
            throw Problem("gone", exit: .notFound, message: "these messages are no longer in any mailbox")
        }
        let words = actions.isEmpty ? [try usualAction(examples)] : actions
        var made: RuleFromMail
        do {
            made = try RuleFromMail(
                examples.map(\.example), actions: words, taken: Set(library.rules.rules.map(\.id)))
        } catch {
            throw Problem(
                "bad-action", exit: .usage,
                message: "\"\(error.word)\" is not an action, or moves the message a second time",
                next: ["archive, trash, junk, keep, flag, 'move: NAME', 'label: NAME', 'mark: read'"])
        }
        let name = fileName.map { String($0.split(separator: "/").last ?? "") } ?? "~new.yaml"
        var trial = RuleTrial(workspace, now: now, file: name, text: RuleFromMail.file([made], head: []))
        let failing = trial.failures
        // Failing tests of the rule's own mail are kept: the notes contain the reason.
        made.keepTests { failing[$0] == nil || $0.contains("takes mail") }
        var notes = Array(
            failing.filter { $0.key.contains("takes mail") }.sorted { $0.key < $1.key }
                .map { "its test fails: \($0.value)" }.prefix(1))
        let text = RuleFromMail.file(
            [made], head: ["Made from your mail (opus rules new). Read it before you use it."])
        trial = RuleTrial(workspace, now: now, file: name, text: text)
        if notes.isEmpty, let late = trial.interference {
            notes.append("\(late); put it into a file that is read before the others")
        }
        notes += [trial.consequence(for: library.rules.runTests(context: workspace.ruleContext(now: now)))]
            .compactMap { $0 }
        return MadeRule(id: made.id, text: text, testCount: made.tests.count, notes: notes)
    }

    /// What the user did with most of the messages, as their mailboxes show. Those in the inbox say nothing.
    private func usualAction(_ examples: [MessageFacts]) throws -> String {
        let filed = Dictionary(grouping: examples.filter { $0.mailbox.role != .inbox }, by: \.mailbox)
        let most = filed.values.map(\.count).max()
        let mailboxes = filed.filter { $0.value.count == most }.keys.sorted {
            $0.displayName < $1.displayName
        }
        guard let mailbox = mailboxes.first, !mailboxes.dropFirst().contains(where: { $0.role == .archive })
        else { return "archive" }
        guard mailboxes.count == 1 || mailbox.role == .archive else {
            throw Problem(
                "unclear-action", exit: .usage,
                message: "the messages are in several mailboxes: "
                    + mailboxes.map(\.displayName).prefix(Self.mostNamed).joined(separator: ", "),
                next: ["say what the rule does: --then archive"])
        }
        switch mailbox.role {
        case .inbox, .archive, .all, .deferred, .drafts, .sent, .flagged: return "archive"
        case .trash: return "trash"
        case .junk: return "junk"
        case nil: return "move: \(mailbox.displayName)"
        }
    }

    private static let mostNamed = 5
}
