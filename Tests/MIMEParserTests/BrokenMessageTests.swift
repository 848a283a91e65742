import Testing

@testable import MIMEParser

@Suite struct BrokenMessageTests {
    @Test(
        "broken messages keep what can be read",
        arguments: [
            Broken(
                "an inner boundary is a prefix of the outer",
                """
                Content-Type: multipart/mixed; boundary=abc

                --abc
                Content-Type: multipart/mixed; boundary=ab

                --ab

                x
                --ab--
                --abc

                y
                --abc--
                """, [" multipart/mixed", "1 multipart/mixed", "1.1 text/plain", "2 text/plain"], []),
            Broken(
                "an outer boundary is a prefix of the inner",
                """
                Content-Type: multipart/mixed; boundary=ab

                --ab
                Content-Type: multipart/mixed; boundary=abc

                --abc

                x
                --abc--
                --ab--
                """, [" multipart/mixed", "1 multipart/mixed", "1.1 text/plain"], []),
            Broken(
                "no boundary parameter", "Content-Type: multipart/mixed\n\n--a\n\nx\n", ["1 multipart/mixed"],
                [.missingBoundary]),
            Broken(
                "the boundary never comes", "Content-Type: multipart/mixed; boundary=a\n\ntext\n",
                [" multipart/mixed"], [.noParts]),
            Broken(
                "the message ends too early", "Content-Type: multipart/mixed; boundary=a\n\n--a\n\nx\n",
                [" multipart/mixed", "1 text/plain"], [.missingCloseBoundary]),
            Broken(
                "an outer boundary comes before the inner one closed",
                """
                Content-Type: multipart/mixed; boundary=a

                --a
                Content-Type: multipart/mixed; boundary=b

                --b

                x
                --a

                y
                --a--
                """, [" multipart/mixed", "1 multipart/mixed", "1.1 text/plain", "2 text/plain"],
                [.missingCloseBoundary]),
            Broken(
                "blanks behind the boundary",
                "Content-Type: multipart/mixed; boundary=\"a \"\n\n--a  \t\n\nx\n--a-- \n",
                [" multipart/mixed", "1 text/plain"], []),
            Broken(
                "text behind the boundary",
                "Content-Type: multipart/mixed; boundary=a\n\n--a junk\n\nx\n--a--\n",
                [" multipart/mixed", "1 text/plain"], [.textAfterBoundary]),
            Broken(
                "an mbox line on top", "From ana@x.org Thu Mar  5 10:00:00 2026\nSubject: s\n\nx",
                ["1 text/plain"],
                [.mboxLine]),
            Broken(
                "a line without a colon in the header", "Subject: s\nwhat is this\nTo: a@x.org\n\nx",
                ["1 text/plain"], [.lineWithoutColon]),
            Broken("no header at all", "just text\n\nmore: text", ["1 text/plain"], [.missingHeaderEnd]),
            Broken("nothing", "", ["1 text/plain"], []),
            Broken(
                "a boundary in the header block",
                """
                Content-Type: multipart/mixed; boundary=a

                --a
                Content-Type: text/html
                --a

                y
                --a--
                """, [" multipart/mixed", "1 text/html", "2 text/plain"], []),
            Broken(
                "an encoding that nobody knows", "Content-Transfer-Encoding: x-uuencode\n\nx",
                ["1 text/plain"],
                [.unknownTransferEncoding]),
        ])
    func broken(_ example: Broken) {
        for crlf in [false, true] {
            let message = read(example.text, crlf: crlf)
            #expect(outline(message) == example.outline, "\(example)")
            #expect(message.defects.map(\.name) == example.defects, "\(example)")
            #expect(nests(message), "\(example)")
        }
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var outline: [String]
        var defects: [Defect.Name]

        init(_ name: String, _ text: String, _ outline: [String], _ defects: [Defect.Name]) {
            testDescription = name
            self.text = text
            self.outline = outline
            self.defects = defects
        }
    }

    @Test("a message whose lines end in CR alone is read like any other")
    func bareCR() {
        let text = StructureTests.standard.utf8.map { $0 == ASCII.lf ? ASCII.cr : $0 }
        let message = MIMEParser.parse(Array(text))
        #expect(outline(message) == outline(read(StructureTests.standard)))
        #expect(message.decodedBody(section: "1") == Array("one".utf8))
    }

    @Test("a CR inside a line of an LF message ends no line")
    func strayCR() {
        let message = read("Subject: a\rBcc: evil@x.org\n\nx")
        #expect(message.envelope.bcc.isEmpty)
        #expect(message.envelope.subject == "a Bcc: evil@x.org")
    }

    @Test("the line break before a boundary is not part of the body, the one before it is")
    func bodyEnd() {
        let message = read(
            "Content-Type: multipart/mixed; boundary=a\n\n--a\n\nx\n\n--a\n\n--a--", crlf: true)
        #expect(message.decodedBody(section: "1") == Array("x\r\n".utf8))
        #expect(message.decodedBody(section: "2") == [])
    }

    @Test("a continued boundary parameter is put together")
    func continuedBoundary() {
        let message = read("Content-Type: multipart/mixed; boundary*0=a; boundary*1=b\n\n--ab\n\nx\n--ab--")
        #expect(outline(message) == [" multipart/mixed", "1 text/plain"])
    }
}
