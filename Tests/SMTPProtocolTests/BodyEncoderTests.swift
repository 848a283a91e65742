import NIOCore
import SMTPProtocol
import TestSupport
import Testing

@Suite struct BodyEncoderTests {
    /// The message, and what follows `DATA` on the wire with the final dot.
    static let table: [(message: String, wire: String)] = [
        ("", "\r\n.\r\n"),
        ("a", "a\r\n.\r\n"),
        ("a\r\n", "a\r\n.\r\n"),
        ("a\n", "a\r\n.\r\n"),
        ("a\r", "a\r\n.\r\n"),
        ("a\r\n\r\n", "a\r\n\r\n.\r\n"),
        ("a\nb\rc\r\nd", "a\r\nb\r\nc\r\nd\r\n.\r\n"),
        ("a\r\r\nb", "a\r\n\r\nb\r\n.\r\n"),
        ("a\n\rb", "a\r\n\r\nb\r\n.\r\n"),
        (".", "..\r\n.\r\n"),
        ("..", "...\r\n.\r\n"),
        (".a\r\n.b", "..a\r\n..b\r\n.\r\n"),
        ("a.\r\nb.c", "a.\r\nb.c\r\n.\r\n"),
        // Attempts to end the message early, in every spelling that some server once believed.
        ("a\r\n.\r\nMAIL FROM:<e@x>\r\n", "a\r\n..\r\nMAIL FROM:<e@x>\r\n.\r\n"),
        ("a\n.\nMAIL FROM:<e@x>\n", "a\r\n..\r\nMAIL FROM:<e@x>\r\n.\r\n"),
        ("a\n.\r\nMAIL", "a\r\n..\r\nMAIL\r\n.\r\n"),
        ("a\r\n.\nMAIL", "a\r\n..\r\nMAIL\r\n.\r\n"),
        ("a\r.\rMAIL", "a\r\n..\r\nMAIL\r\n.\r\n"),
        ("a\r\n.\rMAIL", "a\r\n..\r\nMAIL\r\n.\r\n"),
        ("a\r.\r\nMAIL", "a\r\n..\r\nMAIL\r\n.\r\n"),
        ("a\r\r\n.\r\r\nMAIL", "a\r\n\r\n..\r\n\r\nMAIL\r\n.\r\n"),
        ("a\u{0}\r\n.\r\n", "a\u{0}\r\n..\r\n.\r\n"),
        ("\n.\n", "\r\n..\r\n.\r\n"),
    ]

    @Test(arguments: table, [1, 3, 64 * 1024])
    func `any message is sent unchanged`(
        row: (message: String, wire: String), maximum: Int
    ) {
        var encoder = BodyEncoder(Array(row.message.utf8))
        var sent: [UInt8] = []
        while let piece = encoder.next(maximum: maximum) { sent += Array(piece.readableBytesView) }
        sent += Array("\r\n.\r\n".utf8)
        #expect(String(decoding: sent, as: UTF8.self) == row.wire)
    }

    @Test(arguments: table, [1, 3, 64 * 1024])
    func `with BDAT the announced octets are sent, and no dot is doubled`(
        row: (message: String, wire: String), maximum: Int
    ) {
        let message = Array(row.message.utf8)
        var encoder = BodyEncoder(message, framing: .counted)
        var sent: [UInt8] = []
        while let piece = encoder.next(maximum: maximum) { sent += Array(piece.readableBytesView) }
        #expect(sent.count == MessageTraits(message).size)
        // A line end is one character: it goes with the dot.
        let stuffed = row.message.isEmpty ? "" : String(row.wire.dropLast(2))
        let lines = stuffed.split(separator: "\r\n", omittingEmptySubsequences: false).map {
            $0.hasPrefix(".") ? $0.dropFirst() : $0
        }
        #expect(String(decoding: sent, as: UTF8.self) == lines.joined(separator: "\r\n"))
    }

    @Test(arguments: table)
    func `the announced size is the size of the message without doubled dots`(
        row: (message: String, wire: String)
    ) {
        // RFC 1870 §3: neither the final dot nor the doubled ones count; the empty message counts nothing.
        var octets = row.wire.utf8.count - 3
        for line in row.wire.utf8.split(separator: UInt8(ascii: "\n")).dropLast()
        where line.first == UInt8(ascii: ".") {
            octets -= 1
        }
        if row.message.isEmpty { octets = 0 }
        #expect(MessageTraits(Array(row.message.utf8)).size == octets)
    }

    @Test func `random bytes never produce a bare CR, a bare LF or a lone dot`() {
        var generator = SeededGenerator(seed: 7)
        let alphabet = Array("\r\n.a".utf8)
        for _ in 0..<2_000 {
            let message = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            var encoder = BodyEncoder(message)
            var wire = "\r\n"
            while let piece = encoder.next(maximum: 5) { wire += String(buffer: piece) }
            wire += "\r\n.\r\n"
            let lines = Array(wire.utf8).split(separator: [13, 10], omittingEmptySubsequences: false)
            #expect(lines.allSatisfy { !$0.contains(13) && !$0.contains(10) }, "\(message)")
            #expect(lines.dropLast(2).allSatisfy { Array($0) != [UInt8(ascii: ".")] }, "\(message)")
        }
    }

    @Test(arguments: [
        ("Subject: x\r\n\r\nhello\r\n", false, false),
        ("Subject: x\r\n\r\nhéllo\r\n", true, false),
        ("Subject: é\r\n\r\nhello\r\n", true, true),
        ("Subject: x\n\nhéllo\n", true, false),
        ("Subject: x\r\rhéllo", true, false),
        ("\r\né", true, false),
    ])
    func `8-bit bytes are found with their place`(message: String, isIn: Bool, isInHeader: Bool) {
        let traits = MessageTraits(Array(message.utf8))
        #expect(traits.has8BitBytes == isIn)
        #expect(traits.has8BitHeader == isInHeader)
    }
}
