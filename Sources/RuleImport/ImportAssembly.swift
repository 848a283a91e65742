import Models
import Rules

/// Writes the rule file from a draft: sets ids, checks every rule, selects tests that pass, and adds the comments.
///
/// Rules that the checker refuses are removed and reported, so the file never has an error.
struct ImportAssembly {
    private var draft: Draft
    private var tests: [DraftTestCase] = []
    /// The ids in other files.
    private let taken: Set<String>

    init(_ draft: Draft, taken: Set<String>) {
        self.draft = draft
        self.taken = taken
    }

    func result() throws(ImportError) -> ImportResult {
        var assembly = self
        return try assembly.run()
    }

    private mutating func run() throws(ImportError) -> ImportResult {
        guard draft.ruleCount <= Draft.maximumRules else {
            throw ImportError(
                line: 1, column: 1,
                message: "\(draft.ruleCount) rules, at most \(Draft.maximumRules); split the file")
        }
        giveIDs()
        dropRefused()
        chooseTests()
        let text = self.text(tests)
        let (rules, diagnostics) = Self.compile(text)
        if let error = diagnostics.first(where: { $0.severity == .error }) {
            throw ImportError(
                line: 1, column: 1,
                message: "the rules made from this file have an error: \(error.message); split the file")
        }
        return ImportResult(
            text: text, ruleCount: rules.ruleCount, testCount: rules.testCount,
            notes: draft.notes.enumerated().sorted {
                ($0.element.line, $0.offset) < ($1.element.line, $1.offset)
            }
            .map(\.element))
    }

    // MARK: Ids

    private mutating func giveIDs() {
        var taken = taken.union(["none"])
        each { rule in
            let wish = Self.slug(rule.name)
            var id = wish
            var number = 2
            while !taken.insert(id).inserted {
                id = "\(wish)-\(number)"
                number += 1
            }
            rule.id = id
        }
    }

    /// Lower-case ASCII with dashes, at most 48 letters.
    static func slug(_ name: String) -> String {
        var result = ""
        for scalar in name.lowercased().unicodeScalars where result.utf8.count < 48 {
            let isWord =
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            if isWord {
                result.unicodeScalars.append(scalar)
            } else if !result.isEmpty, result.last != "-" {
                result.append("-")
            }
        }
        while result.last == "-" { result.removeLast() }
        return result.isEmpty ? "rule" : result
    }

    /// Changes every rule in place.
    private mutating func each(_ change: (inout DraftRule) -> Void) {
        draft.entries = draft.entries.map { entry in
            switch entry {
            case .comment: return entry
            case .rule(var rule):
                change(&rule)
                return .rule(rule)
            case .choose(let rules):
                return .choose(
                    rules.map { rule in
                        var rule = rule
                        change(&rule)
                        return rule
                    })
            }
        }
    }

    private var rules: [DraftRule] {
        draft.entries.flatMap { entry -> [DraftRule] in
            switch entry {
            case .rule(let rule): [rule]
            case .choose(let rules): rules
            case .comment: []
            }
        }
    }

    // MARK: Checking

    /// Removes rules that the checker refuses, such as those with patterns of another dialect.
    private mutating func dropRefused() {
        var refused: [String: String] = [:]
        for rule in rules {
            let text =
                "rules-version: 1\nrules:\n" + RuleWriter.rule(rule, exceptions: []).joined(separator: "\n")
                + "\n"
            let errors = Self.compile(text).diagnostics.filter { $0.severity == .error }
            if let error = errors.first {
                refused[rule.id] = error.message
                draft.dropped(
                    rule.line, rule.description.isEmpty ? rule.name : rule.description, error.message)
            }
        }
        let lost = Set(rules.filter { refused[$0.id] != nil }.map(\.key))
        for rule in rules where refused[rule.id] == nil && rule.unlessKeys.contains(where: lost.contains) {
            refused[rule.id] = "another rule comes first that is not translated"
            draft.dropped(rule.line, rule.name, "another rule comes first that is not translated")
        }
        guard !refused.isEmpty else { return }
        // What a refused rule would have kept or filed must not go to the trash below it.
        var isLost = false
        for rule in rules {
            if refused[rule.id] != nil {
                isLost = isLost || rule.stops || rule.actions.contains { $0.isDisposition && $0 != .trash }
            } else if isLost, draft.format != .gmail, rule.actions.contains(.trash) {
                refused[rule.id] = Self.saving
                draft.dropped(rule.line, rule.name, Self.saving)
            }
        }
        draft.entries = draft.entries.map { entry in
            switch entry {
            case .comment: return entry
            case .rule(let rule): return refused[rule.id].map { .comment([Self.words(rule, $0)]) } ?? entry
            case .choose(let rules):
                // Without one of them the others would take its mail.
                guard let first = rules.firstIndex(where: { refused[$0.id] != nil }) else { return entry }
                for rule in rules[(first + 1)...] where refused[rule.id] == nil {
                    draft.dropped(
                        rule.line, rule.name,
                        "it acts on the mail that the rule before it leaves, and that rule is not translated")
                }
                let kept = Array(rules[..<first])
                return kept.isEmpty
                    ? .comment([Self.words(rules[first], refused[rules[first].id] ?? "")]) : .choose(kept)
            }
        }
    }

    private static let saving =
        "trashes what a rule above it may have kept, and that rule is not translated"

    private static func words(_ rule: DraftRule, _ reason: String) -> String {
        "Not translated: line \(rule.line), \(rule.name): \(reason)"
    }

    private static func compile(_ text: String) -> (rules: RuleSet, diagnostics: [Diagnostic]) {
        RuleSet.compile([.init(file: "import", text: text)], accounts: [], readList: { _ in nil })
    }

    // MARK: Tests

    /// Of each rule's candidates the first positive and the first negative one that pass, with all rules at work.
    private mutating func chooseTests() {
        let isTimed = rules.contains { DraftTestCase.asksTime($0.when) }
        let candidates = rules.flatMap { rule in
            let cases = DraftTestCase.candidates(rule, isTimed: isTimed)
            var rule = rule
            rule.unlessKeys = []
            let text = text(cases, rules: [.rule(rule)])
            let isGood = Self.compile(text).diagnostics.allSatisfy { $0.severity != .error }
            return isGood
                ? cases
                : cases.filter { test in
                    Self.compile(self.text([test], rules: [.rule(rule)])).diagnostics.allSatisfy {
                        $0.severity != .error
                    }
                }
        }
        let passed = passing(candidates)
        var seen: Set<String> = []
        tests = zip(candidates, passed).filter { $0.1 && seen.insert($0.0.name).inserted }.map(\.0)
    }

    /// Runs tests with an arbitrary clock and zone: none of them depends on it.
    private func passing(_ tests: [DraftTestCase]) -> [Bool] {
        let context = RuleContext(now: Timestamp(seconds: 1_773_388_800), timeZone: "UTC")
        let results = Self.compile(text(tests)).rules.runTests(context: context)
        guard results.count == tests.count else { return tests.map { _ in false } }
        return results.map(\.passed)
    }

    // MARK: Text

    private func text(_ tests: [DraftTestCase], rules entries: [Draft.Entry]? = nil) -> String {
        var lines = RuleWriter.comment(
            ["Imported from \(draft.origin) (\(draft.format.rawValue)). Read it before you use it."]
                + draft.remarks)
        lines += ["rules-version: 1", "", rules.isEmpty ? "rules: []" : "rules:"]
        for entry in entries ?? draft.entries {
            lines += RuleWriter.indented(self.lines(entry))
            lines.append("")
        }
        if !tests.isEmpty {
            lines.append("tests:")
            lines += tests.flatMap { RuleWriter.indented($0.lines(named: $0.name)) }
        }
        while lines.last?.isEmpty ?? false { lines.removeLast() }
        return lines.joined(separator: "\n") + "\n"
    }

    private func lines(_ entry: Draft.Entry) -> [String] {
        switch entry {
        case .comment(let lines): RuleWriter.comment(lines)
        case .rule(let rule): lines(rule)
        case .choose(let rules):
            ["- choose:"] + RuleWriter.indented(RuleWriter.indented(rules.flatMap(lines)))
        }
    }

    private func lines(_ rule: DraftRule) -> [String] {
        let exceptions =
            rule.unlessKeys.isEmpty ? [] : rules.filter { rule.unlessKeys.contains($0.key) }.map(\.id)
        return RuleWriter.comment(rule.comments) + RuleWriter.rule(rule, exceptions: exceptions)
    }
}
