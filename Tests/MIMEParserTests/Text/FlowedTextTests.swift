import Models
import Testing

@testable import MIMEParser

@Suite struct FlowedTextTests {
    private func read(_ body: String, type: String = "text/plain; format=flowed") -> String {
        let message = MIMEParser.parse(Array("Content-Type: \(type)\n\n\(body)".utf8))
        return message.plainText(of: message.root, decoded: Array(body.utf8))
    }

    @Test(
        "flowed lines become paragraphs, RFC 3676",
        arguments: [
            ("a line that \nflows on\n", "a line that flows on\n"),
            ("fixed\nlines\n", "fixed\nlines\n"),
            ("one \n\ntwo\n", "one\n\ntwo\n"),
            (" From here\n >no quote\n  two blanks\n", "From here\n>no quote\n two blanks\n"),
            ("> quoted \n> text\n", "> quoted text\n"),
            (">quoted \n>text\n", "> quoted text\n"),
            (">> deep \n>> text\n> less\nown\n", ">> deep text\n> less\nown\n"),
            ("> a paragraph that \nanswer\n", "> a paragraph that\nanswer\n"),
            (">\n> a\n>\n", ">\n> a\n>\n"),
            ("text \n-- \nAnn\n", "text\n-- \nAnn\n"),
            ("-- \nAnn \nB\n", "-- \nAnn B\n"),
            ("> -- \n> Ann\n", "> -- \n> Ann\n"),
            ("ends \n", "ends\n"),
            ("a \r\nb\r\n", "a b\n"),
            ("", ""),
        ])
    func paragraphs(_ body: String, _ expected: String) { #expect(read(body) == expected) }

    @Test("DelSp removes the blank before the break")
    func deletesSpace() {
        let type = "text/plain; Format=Flowed; DelSp=Yes"
        #expect(read("Donau \ndampf \nschiff\n", type: type) == "Donaudampfschiff\n")
        #expect(read("two  \nwords\n", type: type) == "two words\n")
        #expect(read("-- \nAnn\n", type: type) == "-- \nAnn\n")
    }

    @Test(
        "lines without format=flowed are not joined",
        arguments: ["text/plain", "text/plain; format=fixed", "text/x-notes; format=flowed"])
    func unmarked(_ type: String) { #expect(read("a \nb\n", type: type) == "a \nb\n") }

    @Test(
        "text contains no control characters except tab and line end; a page or soft line break is a line end",
        arguments: [
            ("a\u{1B}[31mb\u{07}\u{7F}\t\0c", "a[31mb\tc"),
            ("a\rb\r\nc\n\rd", "a\nb\nc\n\nd"),
            ("a\u{85}\u{9B}b\u{A0}c é", "a\nb\u{A0}c é"),
            ("Dear Bob\u{B}thanks\u{C}page 2", "Dear Bob\nthanks\npage 2"),
            ("plain\n", "plain\n"),
        ])
    func controls(_ text: String, _ expected: String) {
        #expect(TextLines.normalised(text) == expected)
    }
}
