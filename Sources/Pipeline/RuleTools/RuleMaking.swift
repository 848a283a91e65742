import Accounts
import Glibc
import MailStore
public import Models
import RuleImport
import Rules

/// A new rule with its tests, made of mail that is there.
public struct MadeRule: Sendable {
    public var id: String
    /// A rule file.
    public var text: String
    public var testCount: Int
    /// What to know before it is used.
    public var notes: [String]
}

extension Session {
    /// A rule that takes mail like these messages. Without actions: what was done with them, judged by where they stand.
    ///
    /// `fileName` is the file that it will stand in, which decides when its turn is; nil: after all others.
    public func rule(from ids: [String], actions: [String], fileName: String?) throws -> MadeRule {
        let details = try ids.map { try message($0) }
        let library = RuleLibrary.load(workspace)
        guard library.errors.isEmpty else { throw DiagnosticFailure(library.diagnostics, exit: .badData) }
        let facts = try self.facts(.ids(details.map(\.id)), needs: [.headers, .text])
        let examples = details.compactMap { detail in facts.first { $0.id == detail.id } }
        guard !examples.isEmpty else {
            throw Problem("gone", exit: .notFound, message: "no mailbox holds these messages any more")
        }
        let words = actions.isEmpty ? [try usualAction(examples)] : actions
        var made: RuleFromMail
        do {
            made = try RuleFromMail(
                examples.map(\.example), actions: words, taken: Set(library.rules.rules.map(\.id)))
        } catch {
            throw Problem(
                "bad-action", exit: .usage,
                message: "\"\(error.word)\" is no action, or a second place for one message",
                next: ["archive, trash, junk, keep, flag, 'move: NAME', 'label: NAME', 'mark: read'"])
        }
        let name = fileName.map { String($0.split(separator: "/").last ?? "") } ?? "~new.yaml"
        var trial = RuleTrial(self, file: name, text: RuleFromMail.file([made], head: []))
        let failing = trial.failures
        // What is to be taken is shown even when it is not: the reason is among the notes.
        made.keepTests { failing[$0] == nil || $0.contains("takes mail") }
        var notes = Array(
            failing.filter { $0.key.contains("takes mail") }.sorted { $0.key < $1.key }
                .map { "its test fails: \($0.value)" }.prefix(1))
        let text = RuleFromMail.file(
            [made], head: ["Made of mail that is there (opus rules new). Read it before you use it."])
        trial = RuleTrial(self, file: name, text: text)
        if notes.isEmpty, let late = trial.interference {
            notes.append("\(late); give it a file that is read before the others")
        }
        notes += [trial.consequence(for: library.rules.runTests(context: testContext()))].compactMap { $0 }
        return MadeRule(id: made.id, text: text, testCount: made.tests.count, notes: notes)
    }

    /// Writes the rule into a new file.
    public func write(_ made: MadeRule, to path: String) throws(Problem) {
        try ImportedRules.write(made.text, to: path)
    }

    private func usualAction(_ examples: [MessageFacts]) throws -> String {
        let mailboxes = Set(examples.map(\.mailbox))
        guard mailboxes.count == 1, let mailbox = mailboxes.first else { return "archive" }
        switch mailbox.role {
        case .inbox, .archive, .all, .deferred, .drafts, .sent, .flagged: return "archive"
        case .trash: return "trash"
        case .junk: return "junk"
        case nil: return "move: \(mailbox.displayName)"
        }
    }
}

extension MessageFacts {
    var example: RuleFromMail.Example {
        RuleFromMail.Example(
            from: from.first, to: to, subject: subject, listID: listID, text: text ?? "",
            attachments: attachments.filter { !$0.isInline }.map { ($0.name, $0.contentType) })
    }

    /// RFC 2919: what stands in the angle brackets, else the whole field.
    var listID: String? {
        guard let field = header("List-Id").first else { return nil }
        guard let open = field.lastIndex(of: "<"), let close = field[open...].firstIndex(of: ">") else {
            return field.split(separator: " ").last.map(String.init)
        }
        return String(field[field.index(after: open)..<close])
    }
}
