import Models

/// Dovecot's `dovecot-keywords`: the keyword of each letter in file names, for one mailbox.
///
/// A line is `0 $Forwarded`; 0 is `a`, 25 is `z`. A letter never gets a new meaning, because files contain it, so a
/// table only grows. Lines that opus does not understand stay as they are, and their letters are in use.
struct KeywordTable: Hashable, Sendable {
    private(set) var names: [Int: Keyword] = [:]
    private var otherLines: [[UInt8]] = []
    /// The numbers of the other lines.
    private var taken: Set<Int> = []

    static let maximum = 26

    init() {}

    init(_ text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            let parts = words.split(separator: UInt8(ascii: " "), maxSplits: 1)
            let index = parts.first.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
            let name = parts.count == 2 ? String(decoding: parts[1], as: UTF8.self) : ""
            if let index, (0..<Self.maximum).contains(index), Keyword.isValid(name) {
                names[index] = Keyword(name)
            } else {
                otherLines.append(Array(line))
                if let index { taken.insert(index) }
            }
        }
    }

    var bytes: [UInt8] {
        let lines = names.sorted { $0.key < $1.key }.map { Array("\($0.key) \($0.value.rawValue)".utf8) }
        return (lines + otherLines).flatMap { $0 + [UInt8(ascii: "\n")] }
    }

    func letter(of keyword: Keyword) -> UInt8? {
        names.first { $0.value == keyword }.map { UInt8(ascii: "a") + UInt8($0.key) }
    }

    func keyword(of letter: UInt8) -> Keyword? {
        guard letter >= UInt8(ascii: "a"), letter <= UInt8(ascii: "z") else { return nil }
        return names[Int(letter - UInt8(ascii: "a"))]
    }

    func keywords(of letters: [UInt8]) -> Set<Keyword> { Set(letters.compactMap { keyword(of: $0) }) }

    /// Gives the keyword the lowest free letter; false when there is none. `used`: letters of messages, which are not free.
    mutating func add(_ keyword: Keyword, besides used: Set<UInt8>) -> Bool {
        if letter(of: keyword) != nil { return true }
        let free = (0..<Self.maximum).first {
            names[$0] == nil && !taken.contains($0) && !used.contains(UInt8(ascii: "a") + UInt8($0))
        }
        guard let free else { return false }
        names[free] = keyword
        return true
    }
}
