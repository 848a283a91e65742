import TestSupport
import Testing

@testable import Discovery

@Suite("answers of DNS")
struct DNSAnswerTests {
    private static func name(_ text: String) -> [UInt8] {
        text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    private static func answer(_ records: [(type: UInt8, data: [UInt8])]) -> [UInt8] {
        var bytes: [UInt8] = [0, 1, 0x81, 0x80, 0, 1, 0, UInt8(records.count), 0, 0, 0, 0]
        bytes += name("acme.example") + [0, 15, 0, 1]
        for record in records {
            bytes += [0xC0, 12, 0, record.type, 0, 1, 0, 0, 0, 60]
            bytes += [UInt8(record.data.count >> 8), UInt8(record.data.count & 0xFF)] + record.data
        }
        return bytes
    }

    @Test("services and mail exchangers are read, with compressed names")
    func records() {
        let bytes = Self.answer([
            (15, [0, 10] + [3] + Array("mx1".utf8) + [0xC0, 12]),
            (33, [0, 1, 0, 2, 0x03, 0xE1] + Self.name("imap.acme.example")), (99, [3, 1, 2, 3]),
        ])
        #expect(
            DNSAnswer(bytes).records == [
                .mx(preference: 10, exchanger: "mx1.acme.example"),
                .srv(priority: 1, weight: 2, port: 993, target: "imap.acme.example"),
            ])
    }

    @Test("the parts of a text are joined, and a part longer than its record is ignored")
    func texts() {
        let parts: [UInt8] = [3] + Array("v=U".utf8) + [4] + Array("AAC1".utf8)
        #expect(DNSAnswer(Self.answer([(16, parts)])).records == [.txt("v=UAAC1")])
        #expect(DNSAnswer(Self.answer([(16, [9] + Array("v=U".utf8))])).records.isEmpty)
    }

    @Test("a name pointer to itself or forwards is refused")
    func loops() {
        for pointer: [UInt8] in [[0xC0, 44], [0xC0, 60], [0xFF, 0xFF], [0x40, 1], [0xC0]] {
            #expect(DNSAnswer(Self.answer([(15, [0, 10] + pointer)])).records.isEmpty)
        }
    }

    @Test("a damaged answer does not crash the reader")
    func damage() {
        var generator = SeededGenerator(seed: 18)
        let whole = Self.answer([
            (15, [0, 10] + Self.name("mx1.acme.example")),
            (33, [0, 1, 0, 2, 3, 0xE1] + Self.name("x.example")),
        ])
        for _ in 0..<5000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            #expect(DNSAnswer(bytes).records.count <= 64)
            _ = DNSAnswer(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))))
        }
    }

    @Test("a resolver is an IPv4 address, with or without a port")
    func server() {
        #expect(Resolver.Server("127.0.0.1:5353")?.port == 5353)
        #expect(Resolver.Server("9.9.9.9")?.port == 53)
        for text in ["", "x", "1.2.3", "1.2.3.4:", "1.2.3.4:0", "256.1.1.1", "1.2.3.4:5:6"] {
            #expect(Resolver.Server(text) == nil)
        }
    }
}
