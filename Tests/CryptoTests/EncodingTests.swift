import Crypto
import Testing

@Suite struct EncodingTests {
    @Test(
        arguments: [
            ([], ""),
            ([0], "00"),
            ([0x0f, 0xf0, 0xff], "0ff0ff"),
        ] as [([UInt8], String)])
    func `hex is encoded and decoded`(bytes: [UInt8], text: String) {
        #expect(Hex.encode(bytes) == text)
        #expect(Hex.decode(text) == bytes)
        #expect(Hex.decode(text.uppercased()) == bytes)
    }

    @Test(arguments: ["0", "0g", "000", " 00", "é"])
    func `invalid hex is nil`(text: String) {
        #expect(Hex.decode(text) == nil)
    }

    @Test(
        arguments: [
            ([], ""),
            ([0x00], "00"),
            ([0xff], "zw"),
            (
                [
                    0x00, 0x44, 0x32, 0x14, 0xc7, 0x42, 0x54, 0xb6, 0x35, 0xcf, 0x84, 0x65, 0x3a, 0x56, 0xd7,
                    0xc6, 0x75, 0xbe, 0x77, 0xdf,
                ],
                "0123456789abcdefghjkmnpqrstvwxyz"
            ),
            (Array("foobar".utf8), "csqpyrk1e8"),
        ] as [([UInt8], String)])
    func `Crockford's alphabet has no letters that look alike`(bytes: [UInt8], text: String) {
        #expect(Crockford.encode(bytes) == text)
    }

    @Test(arguments: [-1, 0, 1, 16, 100_000])
    func `the requested number of random bytes is returned`(count: Int) {
        #expect(RandomBytes.make(count: count).count == max(0, count))
    }

    @Test func `random bytes do not repeat`() {
        let made = Set((0..<100).map { _ in RandomBytes.make(count: 16) })
        #expect(made.count == 100)
    }

    @Test(
        arguments: [
            ([], [], true),
            ([1, 2], [1, 2], true),
            ([1, 2], [1, 3], false),
            ([1, 2], [1, 2, 3], false),
        ] as [([UInt8], [UInt8], Bool)])
    func `constant-time comparison gives the same result as ==`(one: [UInt8], other: [UInt8], isEqual: Bool) {
        #expect(ConstantTime.equals(one, other) == isEqual)
    }
}
