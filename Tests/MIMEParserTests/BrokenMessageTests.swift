import Testing

@testable import MIMEParser

@Suite struct BrokenMessageTests {
    @Test(
        "readable parts of broken messages are kept",
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
                ["1 multipart/mixed"], [.noParts]),
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
                "the empty line is missing", "Subject: s\nHello,\n\nI write", ["1 text/plain"],
                [.missingHeaderEnd]),
            Broken(
                "a folded field lost its blanks", "References: <a@x>\n<b@x>\n<c@x>\nTo: a@x.org\n\nx",
                ["1 text/plain"], [.lineWithoutColon, .lineWithoutColon]),
            Broken(
                "the boundary stands where the empty line should",
                "Content-Type: multipart/mixed; boundary=a\n--a\n\nx\n--a--\n",
                [" multipart/mixed", "1 text/plain"], [.missingHeaderEnd]),
            Broken(
                "the boundary of a part that is itself a multipart, where its empty line should stand",
                """
                Content-Type: multipart/mixed; boundary=a

                --a
                Content-Type: multipart/alternative; boundary=b
                --b

                x
                --b--
                --a--
                """, [" multipart/mixed", "1 multipart/alternative", "1.1 text/plain"], [.missingHeaderEnd]),
            Broken(
                "a part behind the closing boundary",
                "Content-Type: multipart/mixed; boundary=a\n\n--a\n\nx\n--a--\n--a\n\ny\n--a--\n",
                [" multipart/mixed", "1 text/plain"], [.boundaryAfterClose]),
            Broken(
                "the closing boundary twice",
                "Content-Type: multipart/mixed; boundary=a\n\n--a\n\nx\n--a--\n--a--\n",
                [" multipart/mixed", "1 text/plain"], []),
            Broken(
                "only the closing boundary comes",
                "Content-Type: multipart/mixed; boundary=a\n\ntext\n--a--\n", ["1 multipart/mixed"],
                [.noParts]),
            Broken(
                "a multipart without parts in an attached message",
                "Content-Type: message/rfc822\n\nContent-Type: multipart/mixed; boundary=a\n\ntext\n",
                ["1 message/rfc822", "1.1 multipart/mixed"], [.noParts]),
            Broken(
                "the same boundary inside and outside",
                """
                Content-Type: multipart/mixed; boundary=a

                --a
                Content-Type: multipart/alternative; boundary=a

                --a

                x
                --a--
                --a

                y
                --a--
                """, [" multipart/mixed", "1 multipart/alternative", "1.1 text/plain", "2 text/plain"], []),
            Broken(
                "a boundary of more than 70 characters",
                "Content-Type: multipart/mixed; boundary=\(Self.long)\n\n--\(Self.long)\n\nx\n--\(Self.long)--",
                [" multipart/mixed", "1 text/plain"], [.longBoundary]),
            Broken(
                "a multipart that says it is encoded",
                "Content-Type: multipart/mixed; boundary=a\nContent-Transfer-Encoding: base64\n\n--a\n\nx\n--a--",
                [" multipart/mixed", "1 text/plain"], [.encodedMultipart]),
            Broken(
                "two types: the first counts", "Content-Type: text/html\nContent-Type: image/png\n\nx",
                ["1 text/html"], [.repeatedContentField]),
            Broken(
                "a byte order mark on top", "\u{FEFF}Content-Type: text/html\n\nx", ["1 text/html"],
                [.byteOrderMark]),
            Broken(
                "an mbox line, and one that an older mailbox quoted",
                "From a Thu Mar  5\n>From b Wed Mar  4\nContent-Type: text/html\n\nx", ["1 text/html"],
                [.mboxLine, .mboxLine]),
            Broken(
                "the first field has no name", ": no name\nContent-Type: text/html\n\nx", ["1 text/html"],
                [.lineWithoutColon]),
            Broken("a NUL in the header", "Subject: a\u{0}b\n\nx", ["1 text/plain"], [.nulByte]),
            Broken("a header in UTF-8", "Subject: é 日本 😀\n\nx", ["1 text/plain"], []),
            Broken(
                "a charset that nobody knows", "Content-Type: text/plain; charset=x-none-such\n\nx",
                ["1 text/plain"], [.unknownCharset]),
            Broken(
                "blanks and colons as old programs wrote them",
                "Subject : s\nContent-Type : text / html ; charset = \"utf-8\" (comment)\n\nx",
                ["1 text/html"], []),
            Broken(
                "an encoding with blanks, a semicolon, quotes",
                "Content-Type: image/png\nContent-Transfer-Encoding:  \"Base64\" ; \n\neA==", ["1 image/png"],
                []),
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

    static let long = String(repeating: "0123456789", count: 12)

    @Test("each defect has its byte offset")
    func offsets() {
        let text = "Subject: s\nContent-Type: multipart/mixed; boundary=a\n\n--a\nX: \u{0}\n\nx\n--a--\n--a\n"
        #expect(
            read(text).defects == [
                Defect(.nulByte, at: 61), Defect(.boundaryAfterClose, at: 72),
            ])
    }

    @Test("text after a missing empty line is kept")
    func textWithoutEmptyLine() {
        let message = read("Subject: s\nHello,\n\nI write")
        #expect(message.envelope.subject == "s")
        #expect(message.decodedBody(section: "1") == Array("Hello,\n\nI write".utf8))
    }

    @Test("a header in an undeclared charset is read as windows-1252, and reported")
    func header8Bit() {
        let message = MIMEParser.parse(Array("Subject: caf".utf8) + [0xE9] + Array("\n\nx".utf8))
        #expect(message.envelope.subject == "café")
        #expect(message.defects == [Defect(.headerNotUTF8, at: 12)])
    }

    @Test(
        "defects inside a body are found on request",
        arguments: [
            ("base64", "text/plain", "SGVs*bG8=", [Defect.Name.base64Junk]),
            ("base64", "text/plain", "SGVsbG", [.base64Truncated]),
            ("base64", "text/plain", "SGVsbA==", []),
            ("base64", "text/plain; charset=utf-8", "w6k=\nw+k=", [.textNotUTF8]),
            ("quoted-printable", "text/plain", "a=20b=\nc", []),
            ("quoted-printable", "text/plain", "100 =% =", [.badQuotedPrintable]),
            ("8bit", "text/plain", "a\u{0}b\rc\n", [.nulByte, .bareCR]),
            ("8bit", "text/plain; charset=utf-8", "é", []),
            ("7bit", "text/plain", "begin 644 cat.txt\n#0V%T\n`\nend\n", []),
            ("7bit", "text/plain", "begin 644 cat.txt\n#0V%T\n", [.damagedHeldFile]),
        ])
    func contentDefects(_ encoding: String, _ type: String, _ body: String, _ expected: [Defect.Name]) {
        let message = read("Content-Type: \(type)\nContent-Transfer-Encoding: \(encoding)\n\n\(body)")
        #expect(message.contentDefects.map(\.name) == expected)
        #expect(message.defects.isEmpty)
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

    @Test("a message with CR line ends is read")
    func bareCR() {
        let text = StructureTests.standard.utf8.map { $0 == ASCII.lf ? ASCII.cr : $0 }
        let message = MIMEParser.parse(Array(text))
        #expect(outline(message) == outline(read(StructureTests.standard)))
        #expect(message.decodedBody(section: "1") == Array("one".utf8))
    }

    @Test("a CR inside a line of an LF message does not end the line")
    func strayCR() {
        let message = read("Subject: a\rBcc: evil@x.org\n\nx")
        #expect(message.envelope.bcc.isEmpty)
        #expect(message.envelope.subject == "a Bcc: evil@x.org")
        #expect(message.defects == [Defect(.bareCR, at: 10)])
    }

    @Test("the line break before a boundary is not part of the body, an earlier one is")
    func bodyEnd() {
        let message = read(
            "Content-Type: multipart/mixed; boundary=a\n\n--a\n\nx\n\n--a\n\n--a--", crlf: true)
        #expect(message.decodedBody(section: "1") == Array("x\r\n".utf8))
        #expect(message.decodedBody(section: "2") == [])
    }

    @Test("a continued boundary parameter is joined")
    func continuedBoundary() {
        let message = read("Content-Type: multipart/mixed; boundary*0=a; boundary*1=b\n\n--ab\n\nx\n--ab--")
        #expect(outline(message) == [" multipart/mixed", "1 text/plain"])
    }
}
