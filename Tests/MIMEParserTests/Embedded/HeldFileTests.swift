import Models
import Testing

@testable import MIMEParser

@Suite struct HeldFileTests {
    private func files(_ body: String) -> [HeldFile] { files(Array(body.utf8)) }

    private func files(_ body: [UInt8], header: String = "") -> [HeldFile] {
        let message = MIMEParser.parse(Array("\(header)\n".utf8) + body)
        return message.heldFiles(in: message.root)
    }

    private static let cat = "begin 644 cat.txt\n#0V%T\n`\nend\n"

    struct Example: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var body: String
        var names = ["cat.txt"]
        var contents = ["Cat"]
        var damage: Set<HeldFile.Damage> = []
    }

    @Test(
        "uuencoded files are found",
        arguments: [
            Example(testDescription: "as POSIX has it", body: cat),
            Example(testDescription: "with text round it", body: "Hi\n\n\(cat)\nBye\n"),
            Example(testDescription: "with CRLF", body: cat.replacing("\n", with: "\r\n")),
            Example(testDescription: "with CR alone", body: cat.replacing("\n", with: "\r")),
            Example(testDescription: "zero as a blank", body: "begin 644 cat.txt\n#0V%T\n \nend\n"),
            Example(
                testDescription: "zero as a blank that got lost", body: "begin 644 cat.txt\n#0V%T\n\nend\n"),
            Example(testDescription: "no line of length zero", body: "begin 644 cat.txt\n#0V%T\nend\n"),
            Example(
                testDescription: "a checksum behind each line", body: "begin 644 cat.txt\n#0V%TX\n`\nend\n"),
            Example(
                testDescription: "blanks at the end of a line got lost",
                body: "begin 644 z\n$````\n#\n`\nend\n", names: ["z"], contents: ["\0\0\0\0\0\0\0"]),
            Example(
                testDescription: "an empty file", body: "begin 600 empty\n`\nend\n", names: ["empty"],
                contents: [""]),
            Example(
                testDescription: "two files", body: cat + "text\n" + cat, names: ["cat.txt", "cat.txt"],
                contents: ["Cat", "Cat"]),
            Example(
                testDescription: "a name with blanks", body: cat.replacing("cat.txt", with: "my  cat.txt "),
                names: ["my  cat.txt"]),
            Example(
                testDescription: "no end", body: "begin 644 cat.txt\n#0V%T\n", damage: [.missingEnd]),
            Example(
                testDescription: "no end, and text goes on",
                body: "begin 644 cat.txt\n#0V%T\nand so on\nend of it",
                damage: [.missingEnd]),
            Example(
                testDescription: "a bad line between good ones",
                body: "begin 644 cat.txt\n#0V%T\n(broken)\n#0V%T\n`\nend\n", contents: ["CatCat"],
                damage: [.badLine]),
        ])
    func uuencode(_ example: Example) {
        let found = files(example.body)
        #expect(found.map(\.name) == example.names)
        #expect(found.map { String(decoding: $0.bytes, as: UTF8.self) } == example.contents)
        #expect(found.allSatisfy { $0.source == .uuencode })
        #expect(found.first?.damage == example.damage)
    }

    @Test(
        "plain prose is not taken for an encoded file",
        arguments: [
            "begin 644 cat.txt\nand then it went on\n", "begin the day\n#0V%T\nend\n", "begin 64 x\n#0V%T\n",
            "begin 999 x\n#0V%T\n", "begin 644 \n#0V%T\n", " begin 644 x\n#0V%T\n`\nend\n", "begin 644 x",
            "> begin 644 x\n> #0V%T\n", "=ybegin is what it says\n", "=ybegin line=128 size=3\nabc\n=yend\n",
            "begin 644 x\n\nA new paragraph.\n",
        ])
    func prose(_ body: String) {
        #expect(files(body).isEmpty)
        let message = MIMEParser.parse(Array("\n\(body)".utf8))
        #expect(message.plainText(of: message.root, decoded: Array(body.utf8)) == body)
    }

    @Test("the text around an encoded file is the text of the message")
    func text() {
        let body = Array("Hi\n\(Self.cat)Bye\n".utf8)
        let message = MIMEParser.parse([0x0A] + body)
        #expect(message.plainText(of: message.root, decoded: body) == "Hi\nBye\n")
        #expect(message.heldBody(section: "1:1") == Array("Cat".utf8))
        #expect(message.attachments.map(\.section) == ["1:1"])
        #expect(message.attachments.map(\.name) == ["cat.txt"])
        #expect(message.attachments.map(\.size) == [3])
    }

    @Test("text after a file longer than the text limit is read", .timeLimit(.minutes(5)))
    func longFile() {
        let line = "M" + String(repeating: "A", count: 60) + "\n"
        let file = "begin 644 x\n" + String(repeating: line, count: 20_000) + "`\nend\n"
        let message = MIMEParser.parse(Array("\n\(file)behind\n".utf8))
        #expect(message.text() == "behind\n")
        #expect(message.attachments.map(\.size) == [900_000])
    }

    @Test(
        "an invalid address of an encoded file is refused",
        arguments: ["1:2", "1:0", "1:-1", "1:", ":1", "1", "2:1", "1:1:1", "1:x", "1:99999999999999999999"])
    func addresses(_ section: String) {
        let message = MIMEParser.parse(Array("\n\(Self.cat)".utf8))
        #expect(message.heldBody(section: section) == nil)
    }

    @Test("encoded texts are searched for files too", arguments: ["base64", "quoted-printable"])
    func encoded(_ encoding: String) {
        let text = Array(Self.cat.utf8)
        let body = encoding == "base64" ? Base64.encode(text, lineLength: 76) : text
        #expect(files(body, header: "Content-Transfer-Encoding: \(encoding)\n").map(\.name) == ["cat.txt"])
    }

    @Test("attached texts and HTML are not searched for files")
    func notShown() {
        let cat = Array(Self.cat.utf8)
        #expect(files(cat, header: "Content-Type: text/html\n").isEmpty)
        #expect(files(cat, header: "Content-Disposition: attachment\n").isEmpty)
        #expect(
            files(cat, header: "Content-Transfer-Encoding: x-uuencode\nContent-Type: image/png\n").count == 1)
    }

    @Test("at most 256 files are found, and names have at most 1 KiB", .timeLimit(.minutes(5)))
    func bounds() {
        let many = MIMEParser.parse(Array("\n\(String(repeating: Self.cat, count: 10_000))".utf8))
        #expect(many.attachments.count == 256)
        let name = String(repeating: "é", count: 100_000)
        let named = files(Self.cat.replacing("cat.txt", with: name))
        #expect(named.first?.name.utf8.count == 1_024)
    }

    @Test("files that never end take linear time", .timeLimit(.minutes(5)))
    func flood() {
        let clock = ContinuousClock()
        let time = clock.measure {
            _ = files(String(repeating: "begin 644 x\nprose\n", count: Bound.rounds(200_000)))
            _ = files(String(repeating: "begin 644 x\n#0V%T\n", count: Bound.rounds(200_000)))
            _ = files(String(repeating: "=ybegin line=1 size=9 name=x\n", count: Bound.rounds(200_000)))
        }
        #expect(time < Bound.time)
    }

    // MARK: yEnc

    private func yEnc(
        _ data: [UInt8], head: String, part: String? = nil, end: String? = nil
    ) -> [UInt8] {
        var body = Array("text\r\n=ybegin \(head)\r\n".utf8)
        if let part { body += Array("=ypart \(part)\r\n".utf8) }
        for (index, byte) in data.enumerated() {
            let shifted = byte &+ 42
            if [0x00, 0x0A, 0x0D, 0x3D].contains(shifted) {
                body += [0x3D, shifted &+ 64]
            } else {
                body.append(shifted)
            }
            if index % 64 == 63 { body += [0x0D, 0x0A] }
        }
        body += [0x0D, 0x0A]
        if let end { body += Array("=yend \(end)\r\n".utf8) }
        return body + Array("behind\r\n".utf8)
    }

    private static let allBytes = (0...255).map { UInt8($0) }

    @Test(
        "yEnc files are found, and their damage is reported",
        arguments: [
            ("size=256", []), ("size=256 crc32=29058C73", []), ("size=256 crc32=29058c73", []),
            ("size=255", [.wrongSize]), ("size=256 crc32=00000000", [.wrongChecksum]),
        ] as [(String, Set<HeldFile.Damage>)])
    func yEnc(_ end: String, _ damage: Set<HeldFile.Damage>) {
        let body = yEnc(Self.allBytes, head: "line=64 size=256 name=my file.bin", end: end)
        let found = files(body)
        #expect(found.map(\.name) == ["my file.bin"])
        #expect(found.first?.bytes == Self.allBytes)
        #expect(found.first?.source == .yenc)
        #expect(found.first?.damage == damage)
        let message = MIMEParser.parse([0x0A] + body)
        #expect(message.plainText(of: message.root, decoded: body) == "text\nbehind\n")
    }

    @Test("a yEnc file without an end stops at its size")
    func yEncWithoutEnd() {
        let body = yEnc(Self.allBytes, head: "line=64 size=256 name=x")
        #expect(files(body).first?.bytes == Self.allBytes)
        #expect(files(body).first?.damage == [.missingEnd])
        let message = MIMEParser.parse([0x0A] + body)
        #expect(message.plainText(of: message.root, decoded: body) == "text\nbehind\n")
    }

    @Test("a part of a yEnc file is checked against its own size")
    func yEncPiece() {
        let body = yEnc(
            Self.allBytes, head: "part=1 total=9 line=64 size=2304 name=x", part: "begin=1 end=256",
            end: "size=256 part=1 pcrc32=29058c73 crc32=12345678")
        #expect(files(body).first?.bytes == Self.allBytes)
        #expect(files(body).first?.damage == [])
    }

    // MARK: Encoded messages

    @Test("a message in base64 is a file that can be opened")
    func embeddedMessage() throws {
        let inner = Base64.encode(
            Array("Subject: inner\nContent-Type: text/html\n\n<b>hi</b>".utf8), lineLength: 76)
        let message = MIMEParser.parse(
            Array("Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n".utf8) + inner)
        let embedded = try #require(message.embeddedMessage(in: message.root))
        #expect(embedded.envelope.subject == "inner")
        #expect(embedded.text() == "hi")
        #expect(message.attachments.map(\.name) == ["inner.eml"])
        let plain = MIMEParser.parse(Array("Content-Type: message/rfc822\n\nSubject: x\n\n".utf8))
        #expect(plain.embeddedMessage(in: plain.root) == nil)
    }
}
