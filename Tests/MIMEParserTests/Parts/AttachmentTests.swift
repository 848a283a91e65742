import Models
import Testing

@testable import MIMEParser

@Suite struct AttachmentTests {
    private func mixed(_ parts: [String], _ type: String = "mixed") -> ParsedMessage {
        let body = parts.map { "--a\n\($0)\n" }.joined()
        return MIMEParser.parse(Array("Content-Type: multipart/\(type); boundary=a\n\n\(body)--a--\n".utf8))
    }

    private static let html = "Content-Type: text/html\n\n<p>rich</p>"
    private static let text = "\nplain"

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var part: String
        /// The name when it is a file.
        var name: String?
        var isInline = false
        /// The text of the message whose second part it is.
        var text = "plain"
        var type = "mixed"
    }

    @Test(
        "the second part of a message is text or a file, as in common mail programs",
        arguments: [
            Case(
                testDescription: "marked", part: "Content-Disposition: attachment; filename=a.txt\n\nx",
                name: "a.txt"),
            Case(testDescription: "marked, no name", part: "Content-Disposition: attachment\n\nx", name: ""),
            Case(testDescription: "an unknown word", part: "Content-Disposition: box\n\nx", name: ""),
            Case(testDescription: "no word", part: "Content-Disposition: filename=a.zip\n\nx", name: "a.zip"),
            Case(
                testDescription: "a named text", part: "Content-Type: text/plain; name=a.txt\n\nx",
                name: "a.txt"),
            Case(
                testDescription: "a text that stands in the message",
                part: "Content-Disposition: inline; filename=0001.patch\n\ndiff", name: "0001.patch",
                isInline: true,
                text: "plain\n\ndiff"),
            Case(testDescription: "another text", part: "\nmore", name: nil, text: "plain\n\nmore"),
            Case(
                testDescription: "a text of an unknown kind", part: "Content-Type: text/x-odd\n\n<b>x</b>",
                text: "plain\n\n<b>x</b>"),
            Case(testDescription: "an image without a name", part: "Content-Type: image/png\n\nx", name: ""),
            Case(
                testDescription: "an image in the text",
                part: "Content-Type: image/png\nContent-Disposition: inline\n\nx",
                name: "", isInline: true),
            Case(
                testDescription: "an image of the HTML",
                part: "Content-Type: image/png\nContent-ID: <i>\n\nx", name: "",
                isInline: true, type: "related"),
            Case(
                testDescription: "a document marked as inline, as Apple Mail does",
                part: "Content-Type: application/pdf\nContent-Disposition: inline; filename=a.pdf\n\nx",
                name: "a.pdf"),
            Case(
                testDescription: "a text beside the root of related parts",
                part: "Content-Type: text/plain\n\nmore", name: "", type: "related"),
            Case(
                testDescription: "a named text beside the root of related parts",
                part: "Content-Disposition: inline; filename=a.txt\n\nmore", name: "a.txt", type: "related"),
            Case(
                testDescription: "a text below a signed part", part: "\nfooter of a list", name: "",
                type: "signed"),
            Case(testDescription: "a table", part: "Content-Type: text/csv\n\na,b", name: ""),
            Case(testDescription: "a card", part: "Content-Type: text/vcard\n\nx", name: ""),
            Case(
                testDescription: "an invitation", part: "Content-Type: text/calendar\n\nx", name: "",
                type: "alternative"),
            Case(
                testDescription: "another rendering", part: "Content-Type: text/x-amp-html\n\nx",
                type: "alternative"),
            Case(
                testDescription: "a message",
                part: "Content-Type: message/rfc822\n\nSubject: =?utf-8?q?=C3=A9?=\n\nx", name: "é.eml"),
            Case(
                testDescription: "a message without a subject",
                part: "Content-Type: message/rfc822\n\nFrom: a@x\n\nx", name: ""),
            Case(
                testDescription: "a signature",
                part: "Content-Type: application/pgp-signature; name=s.asc\n\nx", type: "signed"),
            Case(
                testDescription: "a resource fork", part: "Content-Type: application/applefile; name=a\n\nx",
                type: "appledouble"),
        ])
    func secondPart(_ example: Case) {
        let message = mixed([Self.text, example.part], example.type)
        #expect(message.attachments.map(\.name) == (example.name.map { [$0] } ?? []))
        #expect(message.attachments.first?.isInline ?? false == example.isInline)
        #expect(message.text() == example.text)
    }

    @Test("the first text is the text of the message, even if it has a name")
    func namedBody() {
        let message = mixed(["Content-Type: text/plain; name=message.txt\n\nhello", Self.html])
        #expect(message.text() == "hello\n\nrich")
        #expect(message.attachments.map(\.isInline) == [true])
    }

    @Test("a message that is one file lists it, a message that is one text lists nothing")
    func single() {
        let image = MIMEParser.parse(Array("Content-Type: image/png; name=a.png\n\nx".utf8))
        #expect(image.attachments.map(\.section) == ["1"])
        let text = MIMEParser.parse(Array("Content-Type: text/enriched; name=a\n\nx".utf8))
        #expect(text.attachments.isEmpty)
        #expect(text.text() == "x")
    }

    @Test(
        "the disposition is returned in lower case",
        arguments: [
            ("Content-Disposition: Inline", "inline" as String?),
            ("Content-Disposition: ATTACHMENT; filename=a", "attachment"),
            ("Content-Disposition: form-data", "form-data"), ("Content-Disposition: ; filename=a", nil),
            ("X: y", nil),
        ])
    func word(_ header: String, _ expected: String?) {
        let message = MIMEParser.parse(Array("\(header)\n\nx".utf8))
        #expect(message.dispositionWord(of: message.root) == expected)
    }

    // MARK: Body choice

    @Test("of Apple Mail's mixed HTML, the plain text is read, and HTML and file are found")
    func appleMail() {
        let inner =
            "Content-Type: multipart/mixed; boundary=b\n\n--b\n\(Self.html)\n"
            + "--b\nContent-Type: application/pdf\nContent-Disposition: inline; filename=a.pdf\n\nx\n"
            + "--b\nContent-Type: text/html\n\nend\n--b--"
        let message = mixed([Self.text, inner], "alternative")
        #expect(message.text() == "plain")
        #expect(message.attachments.map(\.name) == ["a.pdf"])
        #expect(message.html == "<p>rich</p>")
        #expect(mixed(["\n \n", inner], "alternative").text() == "rich\n\nend")
    }

    @Test(
        "HTML is preferred to a plain text that only refers to it",
        arguments: [
            ("Please use an HTML compatible viewer.", "rich"),
            ("Write it as html.\n" + String(repeating: "x", count: 200), nil),
            ("\u{200B} \u{A0}", "rich"), ("Hello", "Hello"),
        ] as [(String, String?)])
    func stub(_ plain: String, _ expected: String?) {
        #expect(mixed(["\n\(plain)", Self.html], "alternative").text() == expected ?? plain)
    }

    @Test(
        "the HTML part of a message is found",
        arguments: ["mixed", "related", "alternative", "signed", "encrypted", "report"])
    func htmlPart(_ type: String) {
        let first = mixed([Self.html, "Content-Type: text/html\n\nsecond"], type)
        let expected = type == "alternative" ? "second" : type == "encrypted" ? nil : "<p>rich</p>"
        #expect(first.html == expected)
        #expect(
            mixed([Self.text, "Content-Type: text/html\nContent-Disposition: attachment\n\nx"], type).html
                == nil)
    }

    @Test("HTML inside an attached message is not the HTML of the message")
    func htmlInside() {
        #expect(mixed([Self.text, "Content-Type: message/rfc822\n\n\(Self.html)"]).htmlPart == nil)
    }

    @Test("the human-readable part of a report is its text")
    func reportText() {
        let message = mixed(
            [
                Self.text, "Content-Type: message/delivery-status\n\nStatus: 5.0.0",
                "Content-Type: text/rfc822-headers\n\nSubject: x",
            ],
            "report")
        #expect(message.text() == "plain")
        #expect(message.attachments.isEmpty)
    }
}
