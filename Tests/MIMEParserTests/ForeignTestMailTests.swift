import Models
import Testing

@testable import MIMEParser

/// Cases from the test mail of other programs.
@Suite struct ForeignTestMailTests {
    @Test("blank lines before the header are skipped", arguments: ["\n", "  \t\n", "\n\n", "\u{FEFF}\n"])
    func blankStart(start: String) {
        let message = MIMEParser.parse(Array((start + "Received: from a\nSubject: Hi\n\nbody\n").utf8))
        #expect(message.envelope.subject == "Hi")
        #expect(message.text() == "body\n")
    }

    @Test("a message without a header keeps its text, and has no header")
    func noHeader() {
        let message = MIMEParser.parse(Array("\nNote: this is text.\n".utf8))
        #expect(message.text() == "Note: this is text.\n")
        #expect(message.headers.isEmpty)
    }

    @Test(
        "a part whose type cannot be read is not a file",
        arguments: ["text/", "html", "/", "@", "text/html/x y z/"])
    func unreadableType(type: String) {
        let message = MIMEParser.parse(Array("Subject: x\nContent-Type: \(type)\n\nbody\n".utf8))
        #expect(message.attachments.isEmpty)
    }

    @Test(
        "a UTF-16 byte order mark takes precedence over the label",
        arguments: ["utf-8", "us-ascii", "iso-8859-1", "utf-16be"])
    func mark(label: String) {
        #expect(Charset.decode([0xFF, 0xFE, 0x48, 0, 0x69, 0], label: label) == "Hi")
        #expect(Charset.decode([0xFE, 0xFF, 0, 0x48, 0, 0x69], label: label) == "Hi")
        // A line end that was added on the way.
        #expect(Charset.decode([0xFF, 0xFE, 0x48, 0, 0x69, 0, 0x0A], label: label) == "Hi")
    }

    @Test("two letters that look like a UTF-16 byte order mark are letters")
    func noMark() {
        #expect(Charset.decode([0xFF, 0xFE, 0xC1], label: "koi8-r") == "ЪЧа")
    }

    @Test(
        "blank lines before a header are skipped, whatever its first field is",
        arguments: [
            "\n", "  \r\n", "\t\n\n \n", "\nX-Account-Key: account1\n",
            "\nAuthentication-Results: mx;\n dkim=pass\n",
            "\nFrom ana@x.org Tue Mar 10 12:00:00 2026\n",
            " \nFrom - Tue Mar 10 12:00:00 2026\nX-Mozilla-Status: 0001\n",
        ])
    func blankBeginning(_ beginning: String) {
        let message = MIMEParser.parse(
            Array((beginning + "From: Ana <ana@x.org>\nSubject: Hello\n\nbody\n").utf8))
        #expect(message.envelope.subject == "Hello")
        #expect(message.text() == "body\n")
    }

    @Test(
        "an indented first line does not hide the header",
        arguments: [
            "  From: a@x.org\nSubject: Plan\n\nText",
            " for <b@x.org>; Tue, 3 Mar 2026\nFrom: a@x.org\nSubject: Plan\n\nText",
        ])
    func indented(_ mail: String) {
        let message = MIMEParser.parse(Array(mail.utf8))
        #expect(message.envelope.from.map(\.addrSpec) == ["a@x.org"])
        #expect(message.envelope.subject == "Plan" && message.text() == "Text")
        #expect(message.defects.map(\.name) == [.lineWithoutColon])
    }

    @Test("an indented text stays text", arguments: [" text\nmore: text\n", "  a: b\n\nFrom: x\n", " x\n"])
    func indentedText(_ text: String) {
        #expect(MIMEParser.parse(Array(text.utf8)).text() == text)
    }

    @Test(
        "text after leading blank lines stays text",
        arguments: [
            "Hello there\n", "Note: see below\nfor more.\nSubject: x\n", "Total: 5\nPaid: 3\n",
            "From here on\n",
        ])
    func blankText(_ text: String) {
        let message = MIMEParser.parse(Array(("\n" + text).utf8))
        #expect(message.text() == text)
        #expect(message.headers.isEmpty)
    }

    @Test("parameter continuations without the first piece are ignored")
    func noBeginning() {
        let body = Array("; filename*1=a; filename*2=b; name=c".utf8)
        let parameters = Parameters(body[...])
        #expect(parameters["filename"] == nil)
        #expect(parameters["name"] == "c")
    }

    @Test("two words in brackets after a name are not an address")
    func twoWords() {
        let found = AddressList.read("Name <space here@host>, ana@x.org")
        #expect(found.map(\.addrSpec).filter { $0.contains("@") && $0 != "@" } == ["ana@x.org"])
        #expect(found.first?.domain.isEmpty == true)
        #expect(AddressList.read("\"\" <space here@host>").map(\.displayName) == ["space"])
    }

    @Test(
        "a boundary parameter that ends in blanks still matches",
        arguments: ["--abc  --", "--abc--", "--abc --  "])
    func boundaryBlanks(closing: String) {
        let head = "Content-Type: multipart/mixed; boundary=\"abc  \"\n\n--abc  \n\nhello\n"
        let message = MIMEParser.parse(Array((head + closing + "\nafter\n").utf8))
        #expect(message.parts.count == 2)
        #expect(message.text() == "hello")
        #expect(message.defects.isEmpty)
    }
}
