import Models
import Testing

@testable import MIMEParser

/// Which boxes a message gets, and what its parts say of themselves.
@Suite struct BuildNestingTests {
    static let image = MessageBuilder.InlineFile(
        contentID: "logo@example.org",
        file: .init(name: "logo.png", contentType: "image/png", bytes: [0x89, 0x50]))
    static let pdf = MessageBuilder.File(name: "a.pdf", contentType: "application/pdf", bytes: [1, 2, 3])

    /// The tree in words: `mixed(alternative(text/plain text/html) application/pdf)`.
    static func tree(_ bytes: [UInt8]) -> String {
        let message = MIMEParser.parse(bytes)
        #expect(message.defects.isEmpty)
        func words(_ index: Int) -> String {
            let part = message.parts[index]
            guard !part.children.isEmpty else { return part.contentType.description }
            let name = part.contentType.type == "multipart" ? part.contentType.subtype : "message"
            return name + "(" + part.children.map(words).joined(separator: " ") + ")"
        }
        return words(0)
    }

    static let trees: [(name: String, change: @Sendable (inout MessageBuilder) -> Void, tree: String)] = [
        ("text", { _ in }, "text/plain"),
        ("nothing", { $0.text = "" }, "text/plain"),
        ("html alone", { ($0.text, $0.html) = ("", "<p>x") }, "text/html"),
        ("both", { $0.html = "<p>x" }, "alternative(text/plain text/html)"),
        (
            "both with an image",
            {
                $0.html = "<img src='cid:logo@example.org'>"
                $0.inlineFiles = [image]
            }, "alternative(text/plain related(text/html image/png))"
        ),
        (
            "all of it",
            {
                $0.html = "<p>x"
                $0.inlineFiles = [image]
                $0.messages = [Array("Subject: inner\n\nx".utf8)]
                $0.files = [pdf, pdf]
            },
            "mixed(alternative(text/plain related(text/html image/png)) message(text/plain) "
                + "application/pdf application/pdf)"
        ),
        ("an image without html", { $0.inlineFiles = [image] }, "mixed(text/plain image/png)"),
        (
            "html and a file",
            {
                ($0.text, $0.html) = ("", "<p>x")
                $0.files = [pdf]
            }, "mixed(text/html application/pdf)"
        ),
    ]

    @Test(
        "parts are nested as mail programs expect, and a single part is not nested", arguments: trees.indices)
    func nesting(_ index: Int) throws {
        let (name, change, tree) = Self.trees[index]
        var builder = MessageBuilderTests.builder()
        change(&builder)
        #expect(Self.tree(try builder.build()) == tree, "\(name)")
    }

    @Test("an inline image has its content id and is inside the message")
    func inline() throws {
        var builder = MessageBuilderTests.builder()
        builder.html = "<img src='cid:logo@example.org'>"
        builder.inlineFiles = [Self.image]
        let message = MIMEParser.parse(try builder.build())
        let found = try #require(message.attachments.first)
        #expect(found.contentID == "logo@example.org")
        #expect(found.isInline)
        #expect(found.section == "2.2")
        let related = try #require(message.parts.first { $0.contentType.subtype == "related" })
        #expect(related.contentType.parameters["type"] == "text/html")
    }

    @Test("a text file names its charset only if it is certain")
    func charset() throws {
        var builder = MessageBuilderTests.builder()
        for bytes in [Array("Grüße".utf8), [0xFC], Array("plain".utf8)] {
            builder.files.append(.init(name: "a.txt", contentType: "text/plain", bytes: bytes))
        }
        let message = MIMEParser.parse(try builder.build())
        #expect(message.parts.dropFirst(2).map(\.contentType.charset) == ["utf-8", nil, nil])
    }

    @Test("two inline files with one content id are refused")
    func repeatedContentID() {
        var builder = MessageBuilderTests.builder()
        builder.inlineFiles = [Self.image, Self.image]
        let error = #expect(throws: BuilderError.self) { try builder.build() }
        #expect(error?.code == .repeatedContentID)
    }

    @Test("a multipart with 8-bit parts is declared as 8-bit")
    func eightBit() throws {
        var builder = MessageBuilderTests.builder()
        builder.messages = [Array("Subject: Grüße\n\nü".utf8)]
        let bytes = try builder.build()
        let header = String(decoding: MIMEParser.parse(bytes).headerBlock, as: UTF8.self)
        #expect(header.contains("\r\nContent-Transfer-Encoding: 8bit\r\n"))
        builder.messages = [Array("Subject: x\n\ny".utf8)]
        let plain = String(decoding: MIMEParser.parse(try builder.build()).headerBlock, as: UTF8.self)
        #expect(!plain.contains("Content-Transfer-Encoding"))
    }

    @Test("the boundaries of nested multiparts differ, and none is the start of another")
    func boundaries() throws {
        var builder = MessageBuilderTests.builder()
        builder.html = "<p>x"
        builder.inlineFiles = [Self.image]
        builder.files = [Self.pdf]
        let message = MIMEParser.parse(try builder.build())
        let found = message.parts.compactMap { $0.contentType.parameters["boundary"] }
        #expect(found.count == 3)
        #expect(Set(found).count == 3)
        #expect(Set(found.map(\.utf8.count)).count == 1)
    }

    @Test("a boundary that occurs in the text is not used")
    func boundaryInText() throws {
        var builder = MessageBuilderTests.builder()
        builder.files = [Self.pdf]
        let first = try #require(
            MIMEParser.parse(try builder.build()).root.contentType.parameters["boundary"])
        let part = BodyWriter.Part(header: [], body: Array("--\(first)\r\n".utf8))
        #expect(MultipartWriter.holds(first, part.body))
        let other = MultipartWriter.boundary(absentFrom: [part], seed: "s")
        #expect(!MultipartWriter.holds(other, part.body))
    }

    @Test(
        "long lines of HTML are encoded in short lines",
        arguments: [
            "<p>" + String(repeating: "x", count: 5_000) + "</p>",
            "<p>Grüße " + String(repeating: "日本", count: 900),
        ])
    func longHTML(_ html: String) throws {
        var builder = MessageBuilderTests.builder()
        builder.html = html
        let bytes = try builder.build()
        Wire.check(bytes)
        let read = MIMEParser.parse(bytes)
        let part = try #require(read.part(at: SectionPath([2])))
        #expect(read.decodedBody(of: part) == Array((html + "\r\n").utf8))
    }
}

/// What every message on the wire keeps, whatever it holds. RFC 5322 §2.1.1 and §2.3, RFC 2045 §2.
enum Wire {
    static func check(
        _ bytes: [UInt8], isSevenBit: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var problems: [String] = []
        if isSevenBit, bytes.contains(where: { $0 >= 0x80 }) { problems.append("8-bit bytes") }
        var start = 0
        var isHeader = true
        for (index, byte) in bytes.enumerated() {
            if byte == 0 { problems.append("NUL at \(index)") }
            if byte == ASCII.cr, index + 1 >= bytes.count || bytes[index + 1] != ASCII.lf {
                problems.append("bare CR at \(index)")
            }
            guard byte == ASCII.lf else { continue }
            if index == 0 || bytes[index - 1] != ASCII.cr { problems.append("bare LF at \(index)") }
            let line = bytes[start..<max(start, index - 1)]
            if line.count > 998 { problems.append("\(line.count) bytes in the line at \(start)") }
            if line.isEmpty { isHeader = false }
            if isHeader { problems += header(line) }
            start = index + 1
        }
        if start != bytes.count { problems.append("no line end at the end") }
        #expect(problems.isEmpty, sourceLocation: sourceLocation)
    }

    /// A header line is ASCII, and beyond 78 bytes only where there is no blank to fold at.
    private static func header(_ line: ArraySlice<UInt8>) -> [String] {
        var problems: [String] = []
        if !line.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            problems.append("header beyond ASCII: \(line.text)")
        }
        let words = line.trimmed.split(separator: ASCII.space).count
        if line.count > 78, words > 2 { problems.append("unfolded: \(line.text)") }
        if line.isBlank { problems.append("a header line of blanks") }
        return problems
    }
}
