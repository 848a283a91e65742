/// Hands out the bytes of the input as numbers and words; at its end everything is as small as it can be.
struct Source {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index >= bytes.count }

    mutating func below(_ limit: Int) -> Int {
        guard index < bytes.count, limit > 1 else { return 0 }
        defer { index += 1 }
        return Int(bytes[index]) % limit
    }

    mutating func maybe() -> Bool { below(2) == 1 }

    mutating func number64() -> UInt64 {
        (0..<below(9)).reduce(UInt64(0)) { value, _ in value << 8 | UInt64(below(256)) }
    }

    mutating func number32() -> UInt32 { UInt32(truncatingIfNeeded: number64()) }

    /// A UID, or any other number that is not 0.
    mutating func positive() -> UInt32 { max(1, number32()) }

    mutating func list<Item>(_ most: Int, _ make: (inout Source) -> Item) -> [Item] {
        (0..<below(most + 1)).map { _ in make(&self) }
    }

    /// Octets as they are in the input: any at all, but no NUL, which only a literal of its own kind may hold.
    mutating func octets(_ most: Int = 40) -> [UInt8] {
        let low = index + 1
        let length = below(most)
        guard low <= bytes.count else { return [] }
        let high = min(bytes.count, low + length)
        index = high
        return bytes[low..<high].filter { $0 != 0 }
    }

    mutating func optional() -> [UInt8]? { maybe() ? octets() : nil }

    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789-_.$".utf8)

    /// A word in lower case that is not `NIL`, with a letter at its start.
    mutating func word() -> String {
        let tail = octets(12).map { Self.letters[Int($0) % Self.letters.count] }
        return String(decoding: [UInt8(ascii: "x")] + tail, as: UTF8.self)
    }

    /// What people read: printable, and no blank at its ends.
    mutating func sentence() -> String {
        let middle = octets(60).map { $0 % 95 + 0x20 }
        return String(decoding: [UInt8(ascii: "S")] + middle + [UInt8(ascii: ".")], as: UTF8.self)
    }
}
