import Models
import TestSupport
import Testing

@testable import RuleImport

@Suite struct HostileImportTests {
    @Test(
        "broken files are errors with a place",
        arguments: [
            ("if true {\n  keep;", .sieve, 1, 9, "this '{' is not closed"),
            ("keep;\n}", .sieve, 2, 1, "a command was expected here"),
            ("keep", .sieve, 1, 5, "'keep' must end with ';' or a block, not with the end of the file"),
            ("if header \"a\n\"b\" { keep; }", .sieve, 2, 3, "this string is not closed"),
            ("if true keep;", .sieve, 1, 9, "'true' takes no test; ';' or ',' or '{' was expected here"),
            ("keep;\nelse { keep; }", .sieve, 2, 1, "'else' without an 'if' before it"),
            ("if (true, false) { keep; }", .sieve, 1, 1, "'if' takes one test"),
            ("if true;", .sieve, 1, 1, "'if' takes a block"),
            ("fileinto \"A", .sieve, 1, 10, "this string is not closed"),
            ("fileinto [\"A\"", .sieve, 1, 10, "this '[' is not closed"),
            ("/* x", .sieve, 1, 1, "this comment is not closed"),
            ("redirect text:\nabc\n", .sieve, 1, 10, "this text is not closed by a line with a dot"),
            ("if size :over 99999999999999999 { keep; }", .sieve, 1, 15, "this number is too large"),
            ("é", .sieve, 1, 1, "'\u{FFFD}' is not expected here"),
            ("<feed><entry></feed>", .gmail, 1, 14, "</feed> closes <entry> of line 1"),
            ("<feed>", .gmail, 1, 1, "<feed> is not closed"),
            ("<!DOCTYPE x [<!ENTITY a 'b'>]><feed/>", .gmail, 1, 1, "document types are not supported"),
            ("<feed><a b='&c;'/></feed>", .gmail, 1, 13, "'&c;' is not one of the five entities of XML"),
            ("<feed a='1' a='2'/>", .gmail, 1, 13, "'a' appears twice"),
            ("", .gmail, 1, 1, "this file has no XML element"),
            ("name=\"x", .thunderbird, 1, 6, "this value is not closed"),
            ("hello", .thunderbird, 1, 1, "a line must be a key and its value: name=\"…\""),
            ("condition=\"ALL\"", .thunderbird, 1, 1, "'condition' comes before the name of a filter"),
            (
                "name=\"x\"\ncondition=\"AND (subject,contains\"", .thunderbird, 2, 12,
                "'(subject,contains' is not (attribute,operator,value)"
            ),
        ] as [(String, RuleImporter.Format, Int, Int, String)])
    func places(text: String, format: RuleImporter.Format, line: Int, column: Int, message: String) {
        #expect(importError(text, format) == ImportError(line: line, column: column, message: message))
    }

    @Test("bytes that are not text are an error with a place", arguments: RuleImporter.Format.allCases)
    func bytes(format: RuleImporter.Format) {
        #expect(importError(Array("ab\ncd".utf8) + [0xFF], format)?.line == 2)
        #expect(importError(Array("ab\n".utf8) + [0], format)?.message == "a NUL byte; this is not text")
        #expect(
            importError([UInt8](repeating: 0x20, count: (1 << 20) + 1), format)?.message
                == "1048577 bytes, at most 1048576")
    }

    @Test("nesting depth is limited")
    func depth() {
        let blocks = String(repeating: "if true {", count: 10_000)
        #expect(importError(blocks, .sieve)?.message == "nested more than 32 deep")
        let tests = "if " + String(repeating: "not ", count: 10_000) + "true { keep; }"
        #expect(importError(tests, .sieve)?.message == "nested more than 32 deep")
        let brackets = "if " + String(repeating: "allof (", count: 10_000)
        #expect(importError(brackets, .sieve)?.message == "nested more than 32 deep")
        #expect(
            importError(String(repeating: "<a>", count: 10_000), .gmail)?.message
                == "nested more than 32 deep")
    }

    @Test(
        "the depth and length of a Gmail query are limited by findings",
        arguments: [
            String(repeating: "(", count: 5_000), String(repeating: "{", count: 5_000),
            String(repeating: "-", count: 5_000),
            String(repeating: "a ", count: 5_000), String(repeating: "from:(", count: 3_000),
            String(repeating: "x", count: 30_000),
            "&quot;", "-", "OR", "OR OR", ")", "from:", "from:&quot;", ":", "a:b:c", "()", "{}", "-()",
        ])
    func queries(query: String) throws {
        let text = GmailImportTests.feed([[("hasTheWord", query), ("shouldStar", "true")]])
        _ = try Imported(text, .gmail)
    }

    @Test("the number and the length of pieces are limited")
    func many() throws {
        let strings = "[" + (0..<3_000).map { "\"h\($0)\"" }.joined(separator: ",") + "]"
        let product = try Imported("if header \(strings) \(strings) { keep; }", .sieve)
        #expect(product.dropped.contains { $0.hasPrefix("more than 2,000 comparisons") })
        let long = String(repeating: "x", count: 200_000)
        #expect(
            importError("fileinto \"\(long)\";", .sieve)?.message == "this string is longer than 100000 bytes"
        )
        #expect(
            importError(String(repeating: "keep;", count: 20_000), .sieve)?.message
                == "more than 10000 commands")
        let rules = (0..<1_100).map { "if header \"subject\" \"\($0)\" { keep; }\n" }.joined()
        #expect(importError(rules, .sieve)?.message == "1100 rules, at most 1000; split the file")
        let chain =
            "if true { redirect \"a\"; }" + String(repeating: "elsif size :over 1 { keep; }", count: 3_000)
        _ = try Imported(chain, .sieve)
    }

    @Test(
        "values that YAML or the rule checker could misread are quoted or left out",
        arguments: [
            "'", "''", "\\\"", "#", ": ", "- x", "*", "@x", "{{subject}}", "${x}", "\u{202E}evil", "\u{7}",
            "\u{FEFF}", "null",
            "~", "\t", " ", "é", "日本", "👩‍👩‍👧", "a\nb", "%", "|", ">", "=", "/x/", "me", "known", "@list", "(?i",
            "[", "a,b", "<a@b>",
        ])
    func values(value: String) throws {
        let tests = [
            "header :is \"subject\"", "header :contains \"subject\"", "header :matches \"x-y\"",
            "header :regex \"x-y\"",
            "header :contains \"from\"", "address :is \"from\"", "address :contains \"to\"",
            "address :domain \"from\"",
            "address :localpart \"from\"", "envelope \"to\"", "envelope \"from\"", "body :contains",
            "header :contains :comparator \"i;octet\" \"subject\"",
        ]
        let script = tests.map { "if \($0) \"\(value)\" { addflag \"\(value)\"; fileinto \"\(value)\"; }" }
        _ = try Imported(script.joined(separator: "\n"), .sieve)
        let xml = value.replacing("\\\"", with: "&quot;").replacing("<", with: "&lt;").replacing(
            "'", with: "&#39;")
        _ = try Imported(
            GmailImportTests.feed([
                [("from", xml), ("subject", xml), ("label", xml), ("shouldArchive", "true")]
            ]), .gmail)
        guard !value.contains("\n"), value != "\\\"" else { return }
        let conditions = ["contains", "is", "begins with", "ends with"].flatMap { relation in
            ["OR (subject,\(relation),\(value))", "OR (from,\(relation),\(value))"]
        }
        _ = try Imported(ThunderbirdImportTests.file(conditions.joined(separator: " ")), .thunderbird)
    }

    @Test("random pieces of scripts never crash the import, and the resulting rules have no errors")
    func random() {
        var random = SeededGenerator(seed: 7)
        let words = [
            "if", "elsif", "else", "allof", "anyof", "not", "true", "false", "header", "address", ":is",
            ":contains",
            ":matches", ":domain", "\"subject\"", "\"from\"", "\"a\"", "\"*x?\"", "[\"a\",\"b\"]", "(", ")",
            "{", "}", ";",
            ",", "keep", "discard", "stop", "fileinto", "\"A\"", "addflag", "size", ":over", "10K", "exists",
            "#c\n", "set",
        ]
        let pieces = [
            "if header :contains \"subject\" \"a\" { fileinto \"A\"; }", "elsif size :over 1K { discard; }",
            "else { addflag \"x\"; stop; }", "if anyof (environment \"x\", exists \"X-Y\") { keep; stop; }",
            "if not address \"from\" \"a@x.org\" { if true { discard; } fileinto \"B\"; }", "stop;", "keep;",
            "set \"v\" \"x\";",
            "if header :matches \"subject\" \"*-*\" { addflag \"${1}\"; fileinto \"${v}\"; }",
        ]
        for round in 0..<200 {
            let source = round % 2 == 0 ? words : pieces
            let text = (0..<(1 + random.below(14))).map { _ in source[random.below(source.count)] }.joined(
                separator: " ")
            for format in RuleImporter.Format.allCases where round % 2 == 0 || format == .sieve {
                if importError(text, format) == nil { _ = try? Imported(text, format) }
            }
        }
    }

    @Test(
        "the format of a file is recognised by name and content",
        arguments: [
            ("mailFilters.xml", "", .gmail), ("x", "<?xml?><feed>", .gmail),
            ("a/msgFilterRules.dat", "", .thunderbird),
            ("x.sieve", "", .sieve), ("x.txt", "require [\"fileinto\"];", .sieve),
            ("x", "version=\"9\"", .thunderbird),
            ("x", "hello", nil),
        ] as [(String, String, RuleImporter.Format?)])
    func detection(name: String, text: String, format: RuleImporter.Format?) {
        #expect(RuleImporter.detect(Array(text.utf8), fileName: name) == format)
    }
}
