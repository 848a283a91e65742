import Foundation
import Testing

@testable import Rules

@Suite struct DocumentationTests {
    static func location(_ name: String) -> URL {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return tests.deletingLastPathComponent().appendingPathComponent("docs").appendingPathComponent(name)
    }

    private static func page(_ name: String) throws -> String {
        try String(contentsOf: location(name), encoding: .utf8)
    }

    private static func blocks(_ language: String, of page: String) -> [String] {
        page.components(separatedBy: "```\(language)\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
    }

    /// With OPUS_UPDATE=1 in the environment, this rewrites the tables.
    private static func renew() throws {
        guard ProcessInfo.processInfo.environment["OPUS_UPDATE"] != nil else { return }
        var text = try page("rules.md")
        for table in [RulesLanguage.conditionHelp, RulesLanguage.actionHelp] {
            let first = table.prefix { $0 != "\n" }
            guard let start = text.range(of: "```text\n\(first)"),
                let end = text.range(of: "\n```", range: start.upperBound..<text.endIndex)
            else { continue }
            text.replaceSubrange(start.lowerBound..<end.lowerBound, with: "```text\n" + table)
        }
        try RulesLanguage.schema.write(
            to: location("schema/rules-1.json"), atomically: true, encoding: .utf8)
        var dates = try page("dates.md")
        if let start = dates.range(of: "| `today`"),
            let end = dates.range(of: "|\n\n", range: start.upperBound..<dates.endIndex)
        {
            dates.replaceSubrange(start.lowerBound...end.lowerBound, with: DateTable.rows)
            try dates.write(to: location("dates.md"), atomically: true, encoding: .utf8)
        }
        try text.write(to: location("rules.md"), atomically: true, encoding: .utf8)
    }

    @Test("the tables of the page match the program")
    func tables() throws {
        try Self.renew()
        let blocks = Self.blocks("text", of: try Self.page("rules.md"))
        #expect(blocks.contains(RulesLanguage.conditionHelp + "\n"), "\(RulesLanguage.conditionHelp)")
        #expect(blocks.contains(RulesLanguage.actionHelp + "\n"), "\(RulesLanguage.actionHelp)")
    }

    @Test("the schema and the table of dates match the program")
    func generated() throws {
        #expect(try Self.page("schema/rules-1.json") == RulesLanguage.schema)
        #expect(try Self.page("dates.md").contains("\n" + DateTable.rows + "\n\n"))
    }

    @Test("every example of the page compiles without a finding and passes its tests")
    func examples() throws {
        let examples = Self.blocks("yaml", of: try Self.page("rules.md"))
        #expect(examples.count == 2)
        for example in examples {
            let (set, found) = RuleSet.compile(
                [.init(file: "docs/rules.md", text: example)], accounts: [], readList: { _ in nil })
            #expect(found.isEmpty, "\(found)")
            for result in set.runTests(context: context()) { #expect(result.passed, "\(result.detail)") }
        }
    }

    @Test("every phrase in the table of dates is read")
    func dates() throws {
        let rows = try Self.page("dates.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count > 15)
        for row in rows {
            let cell = row.split(separator: "|")[0]
            for (index, phrase) in cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            where index % 2 == 1 {
                #expect(DatePhrase.isValid(String(phrase)), "\(phrase)")
            }
        }
    }

    @Test("the page names every action")
    func actions() throws {
        let page = try Self.page("rules.md")
        for entry in RulesLanguage.actions { #expect(page.contains(entry.name), "\(entry.name)") }
    }
}
