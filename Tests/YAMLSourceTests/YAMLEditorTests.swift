import Testing

@testable import YAMLSource

/// Single values of a text are changed, and everything else stays as it was.
@Suite("YAML editor")
struct YAMLEditorTests {
    private func node(_ text: String, _ path: String...) throws -> YAMLNode {
        var node = try #require(YAMLDocument.read(file: "a", text: text).document?.root)
        for key in path { node = try #require(node[key]) }
        return node
    }

    @Test(
        "only the wanted scalar is replaced, with its quotes",
        arguments: [
            ("a: b  # c\n", "a: 'N'  # c\n"), ("a: 'it''s'   # b\n", "a: 'N'   # b\n"),
            ("a: \"x \\\" y\" # b", "a: 'N' # b"), ("{ a: b, c: d }\n", "{ a: 'N', c: d }\n"),
            ("ü: 1\na: ü ü  # ü\n", "ü: 1\na: 'N'  # ü\n"), ("\u{FEFF}a: b\n", "\u{FEFF}a: 'N'\n"),
        ])
    func replacing(text: String, expected: String) throws {
        var editor = YAMLEditor(text)
        #expect(editor.replace(try node(text, "a"), with: "'N'"))
        #expect(editor.text == expected)
    }

    @Test(
        "a value of several lines is not changed",
        arguments: ["a: |\n  b\n  c\n", "a: b\n  c\n", "a: 'b\n  c'\n"])
    func leaving(text: String) throws {
        var editor = YAMLEditor(text)
        #expect(!editor.replace(try node(text, "a"), with: "'N'"))
        #expect(editor.text == text)
    }

    @Test(
        "entries are added in the form of the list",
        arguments: [
            ("a:\n  - b   # c\n# d\n", "a:\n  - b   # c\n  - 'N'\n# d\n"),
            ("a: [b, 'c' ]\n", "a: [b, 'c', 'N' ]\n"),
            ("a: []  # c\n", "a: ['N']  # c\n"), ("a:\n- b", "a:\n- b\n- 'N'"),
            ("a: [\n  b\n]\n", "a: [\n  b, 'N'\n]\n"),
        ])
    func appending(text: String, expected: String) throws {
        var editor = YAMLEditor(text)
        #expect(editor.append(["N"], to: try node(text, "a")))
        #expect(editor.text == expected)
        #expect(YAMLDocument.read(file: "a", text: editor.text).diagnostics.isEmpty)
    }
}
