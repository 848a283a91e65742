import NIOCore
import SMTPProtocol
import Testing

@Suite struct ReplyParserTests {
    struct Sample: CustomTestStringConvertible {
        let name: String
        let bytes: String
        let replies: [Reply]
        var testDescription: String { name }
    }

    static let samples = [
        Sample(name: "one line", bytes: "250 fine\r\n", replies: [Reply(code: 250, lines: ["fine"])]),
        Sample(name: "a code without text", bytes: "250\r\n", replies: [Reply(code: 250, lines: [""])]),
        Sample(name: "an empty text", bytes: "354 \r\n", replies: [Reply(code: 354, lines: [""])]),
        Sample(
            name: "many lines", bytes: "250-one\r\n250-\r\n250 three\r\n",
            replies: [Reply(code: 250, lines: ["one", "", "three"])]),
        Sample(
            name: "two replies", bytes: "250 a\r\n550-no\r\n550 never\r\n",
            replies: [Reply(code: 250, lines: ["a"]), Reply(code: 550, lines: ["no", "never"])]),
        Sample(
            name: "quirk: lines that end in LF alone", bytes: "220-hi\n220 there\n",
            replies: [Reply(code: 220, lines: ["hi", "there"])]),
        Sample(
            name: "bytes that are no UTF-8", bytes: "250 caf\u{fffd}\r\n",
            replies: [Reply(code: 250, lines: ["caf\u{fffd}"])]),
    ]

    @Test(arguments: samples, [1, 7, 10_000])
    func `replies are read the same in pieces of any size`(sample: Sample, size: Int) throws {
        var parser = ReplyParser()
        var replies: [Reply] = []
        let bytes = Array(sample.bytes.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            parser.append(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)]))
            while let reply = try parser.next() { replies.append(reply) }
        }
        #expect(replies == sample.replies)
        #expect(parser.isEmpty)
    }

    @Test(arguments: [
        "hello\r\n", "25 ok\r\n", "250_ok\r\n", "1234 ok\r\n", "150 ok\r\n", "650 ok\r\n", "\r\n",
        "²50 ok\r\n",
        "250-a\r\n251 b\r\n", "SSH-2.0-x\r\n",
    ])
    func `an invalid reply is refused`(bytes: String) {
        var parser = ReplyParser()
        parser.append(ByteBuffer(string: bytes))
        #expect(throws: ReplyError.self) { while try parser.next() != nil {} }
    }

    @Test func `an endless line is refused at the limit`() throws {
        var parser = ReplyParser()
        parser.append(ByteBuffer(string: "250 " + String(repeating: "x", count: 2044)))
        #expect(try parser.next() == nil)
        parser.append(ByteBuffer(string: "x"))
        #expect(throws: ReplyError.lineTooLong(actual: 2049, maximum: 2048)) { try parser.next() }
    }

    @Test func `an endless reply is refused at the limit`() throws {
        var parser = ReplyParser()
        parser.append(ByteBuffer(string: String(repeating: "250-x\r\n", count: 100)))
        #expect(try parser.next() == nil)
        parser.append(ByteBuffer(string: "250 x\r\n"))
        #expect(throws: ReplyError.tooManyLines(actual: 101, maximum: 100)) { try parser.next() }
    }

    @Test(arguments: ["2", "250-one\r\n", "250 a\r\n250 b\r\n"])
    func `data after a reply is reported`(bytes: String) throws {
        var parser = ReplyParser()
        #expect(parser.isEmpty)
        parser.append(ByteBuffer(string: bytes))
        _ = try parser.next()
        #expect(!parser.isEmpty)
    }

    @Test(
        arguments: [
            ("550 5.7.1 no", "5.7.1"), ("250 2.1.0", "2.1.0"), ("550 4.7.1 no", nil), ("550 5.7 no", nil),
            ("550 5.7.1234 no", nil), ("550 no", nil), ("550 ", nil), ("550 5.7.x no", nil),
        ] as [(String, String?)])
    func `an enhanced status must fit the code`(line: String, status: String?) throws {
        var parser = ReplyParser()
        parser.append(ByteBuffer(string: line + "\r\n"))
        #expect(try parser.next()?.enhancedStatus == status)
    }
}
