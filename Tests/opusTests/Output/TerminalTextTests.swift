import Testing

@testable import opus

/// What a stranger's text can do to a terminal: nothing.
@Suite("Terminal text")
struct TerminalTextTests {
    /// Controls, line separators and bidirectional controls, written out apart from the code under test.
    private static func isForbidden(_ scalar: Unicode.Scalar, allowing kept: Set<Unicode.Scalar> = []) -> Bool
    {
        guard !kept.contains(scalar) else { return false }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case _: return scalar.properties.isBidiControl
        }
    }

    /// Every scalar there is, in strings of 4,096.
    private static let everything: [[Unicode.Scalar]] = stride(from: UInt32(0), to: 0x110000, by: 0x1000).map
    {
        start in (start..<start + 0x1000).compactMap(Unicode.Scalar.init)
    }

    private static func text(_ scalars: [Unicode.Scalar]) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }

    @Test("a line contains no control, line separator or bidirectional characters")
    func lineIsHarmless() {
        for scalars in Self.everything {
            let shown = TerminalText.line(Self.text(scalars))
            let left = shown.unicodeScalars.filter { Self.isForbidden($0) }
            #expect(left.isEmpty, "from U+\(String(scalars.first?.value ?? 0, radix: 16))")
        }
    }

    @Test("a block keeps only line feeds and tabs")
    func blockIsHarmless() {
        for scalars in Self.everything {
            let shown = TerminalText.block(Self.text(scalars))
            let left = shown.unicodeScalars.filter { Self.isForbidden($0, allowing: ["\n", "\t"]) }
            #expect(left.isEmpty, "from U+\(String(scalars.first?.value ?? 0, radix: 16))")
        }
    }

    @Test("harmless text is shown unchanged")
    func harmlessStays() {
        let text = "Grüße, 日本語, שלום, 👨‍👩‍👧, ❤️, é — “quoted”…"
        #expect(TerminalText.line(text) == text)
    }

    @Test("an escape sequence is shown as text")
    func escapes() {
        #expect(TerminalText.line("\u{1B}]52;c;aGk=\u{7}") == #"␛]52;c;aGk=\u{7}"#)
        #expect(TerminalText.line("\u{9B}31m") == #"\u{9b}31m"#)
        #expect(TerminalText.line("invoice\u{202E}fdp.exe") == #"invoice\u{202e}fdp.exe"#)
        #expect(TerminalText.line("a\r\nb\tc") == "a  b c")
        #expect(TerminalText.block("a\r\nb\tc\u{7F}") == "a\nb\tc\\u{7f}")
    }

    @Test("escaping harmless text again changes nothing")
    func idempotent() {
        let once = TerminalText.line("\u{1B}[2J\u{202E}\u{0}x\ty")
        #expect(TerminalText.line(once) == once)
    }

    @Test(
        "columns are counted as a terminal shows them",
        arguments: [
            ("", 0), ("abc", 3), ("日本語", 6), ("한국어", 6), ("é", 1), ("e\u{301}", 1), ("👍", 2), ("👍🏽", 2),
            ("👨‍👩‍👧‍👦", 2),
            ("❤️", 2), ("1️⃣", 2), ("🇫🇷", 2), ("…", 1), ("ｆｕｌｌ", 8), ("a\u{300}\u{301}\u{302}b", 2), ("Ω≈", 2),
        ])
    func widths(_ text: String, _ columns: Int) {
        #expect(TerminalText.width(text) == columns)
    }

    @Test(
        "a cut text has at most the given columns, and a sign of the cut",
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""),
            ("", 3, ""),
            ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("日本語", 2, "…"),
            ("a👨‍👩‍👧b", 3, "a…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ])
    func truncation(_ text: String, _ columns: Int, _ cut: String) {
        #expect(TerminalText.truncated(text, to: columns) == cut)
        #expect(TerminalText.width(TerminalText.truncated(text, to: columns)) <= columns)
    }

    @Test("padding counts columns, not characters")
    func padding() {
        #expect(TerminalText.padded("日本", to: 6) == "日本  ")
        #expect(TerminalText.padded("long", to: 2) == "long")
    }
}
