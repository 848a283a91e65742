import Models
import TestSupport
import Testing

@testable import YAMLSource

@Suite struct YAMLDocumentTests {
    private func read(_ text: String) -> (document: YAMLDocument?, diagnostics: [Diagnostic]) {
        YAMLDocument.read(file: "f.yaml", text: text)
    }

    @Test("every key and value has its place, counted in characters")
    func places() throws {
        let text = "# c\nnäme: 'é' # x\nlist:\n  - { 日本: 語, b: \"c\" }\n"
        let root = try #require(read(text).document?.root)
        let pairs = try #require(root.mapping)
        #expect((pairs[0].key.line, pairs[0].key.column) == (2, 1))
        #expect((pairs[0].value.line, pairs[0].value.column) == (2, 7))
        let inner = try #require(root["list"]?.sequence?.first?.mapping)
        #expect((inner[0].key.line, inner[0].key.column) == (4, 7))
        #expect((inner[0].value.line, inner[0].value.column) == (4, 11))
        #expect((inner[1].key.line, inner[1].key.column) == (4, 14))
    }

    @Test(
        "scalars stay text, without YAML 1.1 booleans, numbers or times",
        arguments: ["no", "1.10", "12:30", "0x1F", "2026-03-10"])
    func scalars(_ text: String) throws {
        #expect(try #require(read("a: \(text)").document?.root)["a"]?.scalar == text)
        #expect(try #require(read("\(text): b").document?.root)[text]?.scalar == "b")
    }

    @Test(
        "an empty file is a document without a root", arguments: ["", "\n", "# only a comment\n", "\u{FEFF}"])
    func empty(_ text: String) throws {
        let (document, diagnostics) = read(text)
        #expect(diagnostics.isEmpty)
        #expect(try #require(document).root == nil)
    }

    @Test(
        "unsupported YAML is refused with its place",
        arguments: [
            ("a: &x 1\nb: *x", "Y002", 1),
            ("a: &x 1", "Y002", 1),
            ("b:\n  <<: { c: 1 }", "Y006", 2),
            ("a: 1\nb: 2\na: 3", "Y005", 1),
            ("a: !ruby/object 1", "Y007", 1),
            ("? { a: 1 }\n: 2", "Y001", 1),
            ("a: [1", "Y001", 1),
            ("a: 1\n---\nb: 2", "Y001", 2),
        ])
    func refused(_ text: String, _ code: String, _ line: Int) throws {
        let (document, diagnostics) = read(text)
        #expect(document == nil)
        let first = try #require(diagnostics.first)
        #expect(first.code == code)
        #expect(first.line == line)
    }

    @Test("size, number of values and depth are limited")
    func limits() {
        #expect(read("a: " + String(repeating: "x", count: 1 << 20)).diagnostics.first?.code == "Y003")
        #expect(read("[" + String(repeating: "1,", count: 50_001) + "]").diagnostics.first?.code == "Y003")
        let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        #expect(read(deep).diagnostics.first?.code == "Y004")
        let fits = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(read(fits).diagnostics.isEmpty)
    }

    @Test(
        "documents made to exhaust the reader are refused quickly",
        arguments: [
            String(repeating: "[", count: 200_000), String(repeating: "{a: ", count: 100_000),
            String(repeating: "- ", count: 200_000), String(repeating: "? ", count: 200_000),
            String(repeating: "a: [", count: 5_000), String(repeating: "'", count: 300_001),
            "a: \"" + String(repeating: "\\", count: 300_001),
        ])
    func hostile(_ text: String) {
        let clock = ContinuousClock()
        let time = clock.measure { #expect(!read(text).diagnostics.isEmpty) }
        #expect(time < .seconds(30))
    }

    @Test("a million nodes behind aliases are never expanded")
    func bomb() {
        var text = "a0: &a0 [x]\n"
        for level in 1...24 { text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
        text += "? *a24\n: 1\n"
        let clock = ContinuousClock()
        let time = clock.measure { #expect(read(text).diagnostics.first?.code == "Y002") }
        #expect(time < .seconds(30))
    }

    @Test(
        "the three most common mistakes suggest single quotes",
        arguments: [
            ("from: *@acme.example", 7, "put it in single quotes: '*@acme.example'"),
            ("from: *work", 7, "put it in single quotes: '*work'"),
            ("{ from: [ *@x.org ] }", 11, "put it in single quotes: '*@x.org'"),
            ("context: @work", 10, "put it in single quotes: '@work'"),
            ("m: \"a\\d+\"", 6, "put it in single quotes"),
            ("title: Pay: now", 11, "put the whole text in single quotes"),
        ])
    func slips(_ text: String, _ column: Int, _ suggestion: String) throws {
        let first = try #require(read(text).diagnostics.first)
        #expect(first.suggestion == suggestion)
        #expect(first.column == column)
    }

    @Test(
        "a mistake is reported at its own line, with the correct form",
        arguments: [
            (
                "a: 1\nwhen: subject: invoice\n", 2,
                "write when: { subject: invoice }, or put the whole text in single quotes"
            ),
            (
                "when: subject: Hi, you # x\n", 1,
                "write when: { subject: 'Hi, you' }, or put the whole text in single quotes"
            ),
            ("unless: from: 'Ana: x'\n", 1, "put the whole text in single quotes"),
            ("- then: task: Pay\n", 1, "write then: { task: Pay }, or put the whole text in single quotes"),
            ("a:\n  when: x\n   then: y\n", 3, "indent it like the line that it follows"),
            ("a:\n  - id: x\n   when: y\n", 3, "indent it like them"),
            ("a: [x\nb: 1\nc: [y]\n", 1, "close it with ']'"),
            ("a: { b: c\nd: 1\ne: 2\n", 1, "close it with '}'"),
            ("a: 'x\nb: 1\nc: 'y'\n", 1, "close it on its line"),
            ("a: 1\nb: \"x\nc: 1\n", 2, "close it on its line"),
            ("a: 1\nwhen x\nb: 2\n", 2, "write a key, ': ' and its value"),
        ])
    func slipsWithTheirLine(_ text: String, _ line: Int, _ suggestion: String) throws {
        let first = try #require(read(text).diagnostics.first)
        #expect(first.suggestion == suggestion)
        #expect(first.line == line)
    }

    @Test("an offset in a scalar is found in the file, in any style")
    func scalarPlaces() throws {
        let text = """
            a: plain text
            b: 'it''s X'
            c: "t\\u00e9\\n X"
            d: |
              one
                X two
            e: 'folded
              over X'
            f: >-
              one
              X
            """
        let document = try #require(read(text).document)
        let expected: [(String, Character, Int, Int)] = [
            ("a", "x", 1, 12), ("b", "X", 2, 11), ("c", "X", 3, 15), ("d", "X", 6, 5), ("e", "X", 8, 8),
            ("f", "X", 11, 3),
        ]
        for (key, letter, line, column) in expected {
            let node = try #require(document.root?[key])
            let scalar = try #require(node.scalar)
            let offset = try #require(Array(scalar).firstIndex(of: letter))
            let place = document.place(in: node, offset: offset)
            #expect((place.line, place.column) == (line, column), "\(key)")
        }
    }

    @Test("random bytes and broken YAML never crash the reader")
    func fuzz() {
        var random = SeededGenerator(seed: 20_260_310)
        let bits = [
            "a", ":", " ", "\n", "- ", "{", "}", "[", "]", "'", "\"", "&x", "*x", "|", ">", "#", "!t", "\\",
            "é",
            "日", "\t", "\r\n", "\u{85}", "\u{2028}", "? ", ",", "%", "@", "---\n", "...", "<<", "\u{0}",
            "e\u{301}",
        ]
        var documents = 0
        for _ in 0..<4_000 {
            let text = (0..<random.below(40)).map { _ in bits[random.below(bits.count)] }.joined()
            let (document, diagnostics) = read(text)
            #expect((document == nil) == !diagnostics.isEmpty)
            for diagnostic in diagnostics { #expect(!diagnostic.rendered().isEmpty) }
            guard let document, let root = document.root else { continue }
            documents += 1
            var open = [root]
            while let node = open.popLast() {
                switch node.kind {
                case .scalar(let scalar, _): _ = document.place(in: node, offset: scalar.count / 2)
                case .sequence(let nodes): open += nodes
                case .mapping(let pairs): open += pairs.flatMap { [$0.key, $0.value] }
                }
            }
        }
        #expect(documents > 100)
    }
}
