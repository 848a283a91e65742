import Models
import Testing

@testable import YAMLSource

@Suite struct DiagnosticRenderingTests {
    private func diagnostic(_ line: String, column: Int, length: Int, number: Int = 5) -> Diagnostic {
        Diagnostic(
            code: "R012", file: "rules/20-work.yaml", line: number, column: column, length: length,
            message: "unknown condition 'form'", suggestion: "did you mean 'from'?", sourceLine: line)
    }

    @Test("a finding looks exactly as in the design")
    func golden() {
        let found = diagnostic("    when: { form: '*@acme.example' }", column: 13, length: 4).rendered()
        #expect(
            found == """
                rules/20-work.yaml:5:13: error[R012]: unknown condition 'form'
                   |
                 5 |     when: { form: '*@acme.example' }
                   |             ^^^^ did you mean 'from'?
                """)
    }

    @Test(
        "the caret is below its text, counted in display width",
        arguments: [
            ("日本 x", 4, 1, "     ^"), ("\tx", 2, 1, "    ^"), ("e\u{301}x", 2, 1, " ^"),
            ("x 日本", 3, 2, "  ^^^^"),
            ("👩‍👩‍👧x", 2, 1, "  ^"),
        ])
    func widths(_ line: String, _ column: Int, _ length: Int, _ caret: String) {
        #expect(SourceExcerpt(line: line, column: column, length: length, room: 80).caret == caret)
    }

    @Test("a long line is cut around the caret")
    func longLine() {
        let line = String(repeating: "a", count: 500) + "HERE" + String(repeating: "b", count: 500)
        let shown = diagnostic(line, column: 501, length: 4).rendered(width: 80).split(separator: "\n")
        #expect(shown[2].contains("HERE"))
        #expect(shown[2].count <= 84)
        let caret = shown[3].prefix { $0 != "^" }.count
        #expect(Array(shown[2])[caret] == "H")
    }

    @Test("control and direction characters of a file never reach the terminal")
    func safe() {
        let shown = diagnostic("a\u{1B}[31m\u{202E}\u{9B}b", column: 1, length: 1).rendered()
        #expect(!shown.unicodeScalars.contains { [0x1B, 0x202E, 0x9B].contains($0.value) })
    }

    @Test("places outside the line do no harm", arguments: [(0, 0), (99, 5), (3, 99), (-1, 1), (1, -5)])
    func outside(_ column: Int, _ length: Int) {
        #expect(diagnostic("abc", column: column, length: length).rendered().contains("R012"))
    }

    @Test("a finding about a whole file is one line")
    func wholeFile() {
        let finding = Diagnostic(code: "Y003", file: "f", message: "too large", suggestion: "split it")
        #expect(finding.rendered() == "f: error[Y003]: too large; split it")
    }

    @Test(
        "a mistyped word suggests the similar one, and never a distant one",
        arguments: [
            ("form", "from"), ("subjct", "subject"), ("Bcc", "bcc"), ("recieved", "received"), ("xyzzy", nil),
            ("subj", "subject"),
            ("", nil), ("q", nil),
        ] as [(String, String?)])
    func nearestWord(_ typed: String, _ meant: String?) {
        #expect(nearest(to: typed, among: ["from", "to", "bcc", "subject", "received"]) == meant)
    }

    @Test("a suggestion is the most similar word that is possible, and only similar words are checked")
    func nearestPossibleWord() {
        var asked: [String] = []
        let found = nearest(to: "subjct", among: ["bcc", "subjects", "subject", "from"]) {
            asked.append($0)
            return $0 != "subject"
        }
        #expect(found == "subjects")
        #expect(asked == ["subject", "subjects"])
    }
}
