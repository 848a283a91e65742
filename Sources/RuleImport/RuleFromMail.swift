public import Models
import Rules

/// A rule for mail that resembles existing messages, with tests made from them.
public struct RuleFromMail: Sendable {
    /// The parts of a message that a rule and its test use. They are text from strangers.
    public struct Example: Sendable {
        public var from: EmailAddress?
        public var to: [EmailAddress]
        public var subject: String
        /// Without the name and the angle brackets; nil: not from a list.
        public var listID: String?
        public var text: String
        /// Names and types.
        public var attachments: [(name: String, type: String)]

        public init(
            from: EmailAddress?, to: [EmailAddress], subject: String, listID: String?, text: String,
            attachments: [(name: String, type: String)]
        ) {
            self.from = from
            self.to = to
            self.subject = subject
            self.listID = listID
            self.text = text
            self.attachments = attachments
        }
    }

    /// A word that is not an action.
    public struct UnknownAction: Error, Sendable {
        public let word: String
    }

    public let id: String
    /// An entry of `rules:`, with its comments.
    let rule: [String]
    /// Entries of `tests:`.
    public private(set) var tests: [(name: String, lines: [String])]

    /// `actions`: as in a rule: `archive`, `move: Lists`, `label: news`, `mark: read`. `taken`: the existing ids.
    /// `remarks`: comments above the rule.
    public init(
        _ examples: [Example], actions: [String], taken: Set<String>, remarks: [String] = []
    ) throws(UnknownAction) {
        let what = Self.common(examples)
        var drafts: [DraftAction] = []
        for word in actions {
            guard let action = Self.action(word), drafts.add(action) else { throw UnknownAction(word: word) }
        }
        var draft = DraftRule(name: what.name, description: what.description, when: what.condition, line: 1)
        draft.actions = drafts
        draft.id = Self.unique(ImportAssembly.slug(what.name), taken)
        draft.comments = remarks
        id = draft.id
        rule = RuleWriter.comment(draft.comments) + RuleWriter.rule(draft, exceptions: [])
        tests = Self.tests(examples, draft)
    }

    /// Removes the tests that do not pass.
    public mutating func keepTests(_ isGood: (String) -> Bool) { tests.removeAll { !isGood($0.name) } }

    // MARK: Common parts

    private static func common(
        _ examples: [Example]
    ) -> (name: String, description: String, condition: DraftCondition) {
        let lists = Set(examples.map(\.listID))
        if lists.count == 1, let list = lists.first ?? nil, isPlain(list) {
            return ("list \(list)", "Mail of the list \(list).", test("list-id", .contains, list))
        }
        let senders = examples.compactMap(\.from)
        let addresses = Set(senders.map(\.comparable)).sorted()
        let domains = Set(senders.map { $0.domain.lowercased() })
        let isWhole = senders.count == examples.count
        if isWhole, addresses.count > 1, domains.count == 1, let domain = domains.first, domain.contains(".")
        {
            return ("from \(domain)", "Mail from anyone at \(domain).", test("from", .plain, "@" + domain))
        }
        // Mail can have an empty From.
        let nobody: [DraftCondition] = isWhole ? [] : [.not(.present("from"))]
        guard let who = senders.first.map({ SourceText.oneLine($0.name, limit: 60) }) else {
            return ("without a sender", "Mail without a sender.", .some(nobody))
        }
        return (
            "from \(who)", isWhole && addresses.count == 1 ? "Mail from \(who)." : "Mail from these people.",
            .some(addresses.map { test("from", .equals, $0) } + nobody)
        )
    }

    private static func test(_ key: String, _ form: DraftTest.Form, _ value: String) -> DraftCondition {
        .test(DraftTest(key: key, form: form, value: value))
    }

    /// Plain names of lists; any other is not used.
    private static func isPlain(_ text: String) -> Bool {
        (1...200).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">")
            }
    }

    private static func unique(_ wish: String, _ taken: Set<String>) -> String {
        var id = wish
        var number = 2
        while taken.contains(id) {
            id = "\(wish)-\(number)"
            number += 1
        }
        return id
    }

    // MARK: Actions

    private static func action(_ word: String) -> DraftAction? {
        let parts = word.split(separator: ":", maxSplits: 1).map { $0.trimmingBlanks() }
        guard let name = parts.first, !name.isEmpty else { return nil }
        let value = parts.count == 2 ? parts[1] : nil
        switch (name, value) {
        case ("keep", nil): return .keep
        case ("archive", nil): return .archive
        case ("trash", nil): return .trash
        case ("junk", nil): return .junk
        case ("flag", nil): return .flag
        case ("unflag", nil): return .unflag
        case ("mark", "read"): return .mark(read: true)
        case ("mark", "unread"): return .mark(read: false)
        case ("move", let name?) where isText(name): return .move(name)
        case ("label", let label?) where Keyword.isValid(label): return .label(label)
        case ("unlabel", let label?) where Keyword.isValid(label): return .unlabel(label)
        case _: return nil
        }
    }

    private static func isText(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 500 && !text.unicodeScalars.contains(where: SourceText.isHidden)
    }

    // MARK: Tests

    private static let textLimit = 200

    private static func tests(_ examples: [Example], _ rule: DraftRule) -> [(name: String, lines: [String])] {
        let expected = DraftTestCase.full(rule)
        var named: [(String, [String])] = []
        for (index, example) in examples.enumerated() {
            // Mail from "root" cannot be written as a test.
            if let from = example.from, address(from) == nil { continue }
            let number = examples.count == 1 ? "" : " \(index + 1)"
            named.append(
                ("\(rule.id) takes mail like this\(number)", mail(example) + ["expect: { \(expected) }"]))
        }
        let other = [
            "mail:", "  from: 'Someone <someone@example.net>'", "  subject: 'Hello'",
            "expect: { rule: none }",
        ]
        named.append(("\(rule.id) leaves other mail alone", other))
        return named.map { ($0.0, RuleWriter.listed(["name: \(RuleWriter.quoted($0.0))"] + $0.1)) }
    }

    private static func mail(_ example: Example) -> [String] {
        var lines: [String] = []
        if let from = example.from.flatMap(address) { lines.append("from: \(from)") }
        if let to = example.to.first.flatMap(address) { lines.append("to: \(to)") }
        lines.append("subject: \(RuleWriter.quoted(SourceText.oneLine(example.subject, limit: 200)))")
        if let list = example.listID {
            lines.append("list-id: \(RuleWriter.quoted(SourceText.oneLine("<\(list)>", limit: 300)))")
        }
        let text = SourceText.oneLine(String(example.text.prefix(4 * textLimit)), limit: textLimit)
        if !text.isEmpty { lines.append("text: \(RuleWriter.quoted(text))") }
        if !example.attachments.isEmpty {
            let files = example.attachments.prefix(5).map { file in
                "{ name: \(RuleWriter.quoted(SourceText.oneLine(file.name))), "
                    + "type: \(RuleWriter.quoted(SourceText.oneLine(file.type))) }"
            }
            lines.append("attachments: [\(files.joined(separator: ", "))]")
        }
        return ["mail:"] + RuleWriter.indented(lines)
    }

    /// nil: a test cannot name this address.
    private static func address(_ address: EmailAddress) -> String? {
        let name = SourceText.oneLine(address.displayName, limit: 80).filter { !"\"\\<>".contains($0) }
        let spec = SourceText.oneLine(address.addrSpec, limit: 320)
        let text = name.isEmpty ? spec : "\"\(name)\" <\(spec)>"
        return AddressText.isReadable(text) ? RuleWriter.quoted(text) : nil
    }

    // MARK: The file

    /// A rule file. `tests` are entries of their own, beside those of the rules.
    public static func file(
        _ rules: [RuleFromMail], head: [String], tests: [[String]] = []
    ) -> String {
        var lines = RuleWriter.comment(head) + ["rules-version: 1"]
        if !rules.isEmpty { lines += ["", "rules:"] }
        for (index, rule) in rules.enumerated() {
            if index > 0 { lines.append("") }
            lines += RuleWriter.indented(rule.rule)
        }
        let all = rules.flatMap { $0.tests.map(\.lines) } + tests
        if !all.isEmpty { lines += ["", "tests:"] + all.flatMap { RuleWriter.indented($0) } }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A test that a mail like this is kept in the inbox.
    public static func keepTest(_ example: Example, name: String) -> [String] {
        RuleWriter.listed(
            ["name: \(RuleWriter.quoted(SourceText.oneLine(name)))"] + mail(example) + [
                "expect: { disposition: keep }"
            ])
    }
}

extension StringProtocol {
    fileprivate func trimmingBlanks() -> String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
