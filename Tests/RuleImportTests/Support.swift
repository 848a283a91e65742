import Models
import Rules
import Testing

@testable import RuleImport

/// What an import made, and everything that must hold of it whatever was imported.
struct Imported {
    let result: ImportResult
    let rules: RuleSet

    /// Translates, checks the text with our checker, and runs its tests.
    init(_ text: String, _ format: RuleImporter.Format, place: SourceLocation = #_sourceLocation) throws {
        result = try RuleImporter.translate(Array(text.utf8), as: format, name: "import-\(format.rawValue)")
        let (rules, diagnostics) = RuleSet.compile(
            [.init(file: "rules/import.yaml", text: result.text)], accounts: [], readList: { _ in nil })
        self.rules = rules
        let errors = diagnostics.filter { $0.severity == .error }
        #expect(errors.isEmpty, "\(errors)\n\(result.text)", sourceLocation: place)
        // The tests pass wherever the rules are used.
        for zone in ["Asia/Tokyo", "Pacific/Kiritimati", "Pacific/Pago_Pago"] {
            let context = RuleContext(now: Timestamp(seconds: 1_700_000_000), timeZone: zone)
            for test in rules.runTests(context: context) {
                #expect(test.passed, "\(test.name): \(test.detail)\n\(result.text)", sourceLocation: place)
            }
        }
        #expect(
            result.ruleCount == rules.ruleCount && result.testCount == rules.testCount, sourceLocation: place)
    }

    var dropped: [String] { result.notes.filter { $0.kind == .dropped }.map(\.reason) }
    var changed: [String] { result.notes.filter { $0.kind == .changed }.map(\.reason) }

    /// The lines of the rules, without head, comments and tests.
    var body: String {
        let text = result.text.components(before: "\ntests:")
        return text.split(separator: "\n", omittingEmptySubsequences: true)
            .filter {
                !$0.trimmed.hasPrefix("#") && !$0.hasPrefix("rules") && !$0.trimmed.hasPrefix("description:")
            }
            .map { $0.hasPrefix("  ") ? String($0.dropFirst(2)) : String($0) }
            .joined(separator: "\n")
    }

    /// What the rules do with a mail: `move: X`, `keep`, marks; in the words of the plan, sorted.
    func outcome(_ change: (inout MessageFacts) -> Void) -> [String] {
        let box = Mailbox(account: AccountID("a"), name: .inbox, displayName: "INBOX", role: .inbox)
        var facts = MessageFacts(
            id: EmailID(rawValue: "m"),
            key: MessageKey(account: box.account, mailbox: box.name, uidValidity: 1, uid: 1), mailbox: box,
            thread: ThreadID(rawValue: "m"), received: Timestamp(seconds: 1_700_000_000))
        facts.from = [EmailAddress(displayName: "Somebody", localPart: "somebody", domain: "example.net")]
        facts.text = ""
        facts.messageID = MessageID("m@example.net")
        change(&facts)
        var context = RuleContext(now: Timestamp(seconds: 1_700_000_000), timeZone: "UTC")
        context.mailboxes = ["A", "B", "C", "Spam"].map {
            Mailbox(account: box.account, name: MailboxName($0), displayName: $0)
        }
        return rules.evaluate(facts, in: context).decisions.map { decision in
            decision.action.word.replacing("=", with: " ")
        }
    }
}

extension StringProtocol {
    func components(before mark: String) -> String {
        let text = String(self)
        return text.firstRange(of: mark).map { String(text[..<$0.lowerBound]) } ?? text
    }

    var trimmed: String { String(drop { $0 == " " }) }
}

func importError(_ text: String, _ format: RuleImporter.Format) -> ImportError? {
    importError(Array(text.utf8), format)
}

func importError(_ bytes: [UInt8], _ format: RuleImporter.Format) -> ImportError? {
    do {
        _ = try RuleImporter.translate(bytes, as: format, name: "x")
        return nil
    } catch {
        return error
    }
}
