import Models

/// Dovecot's `dovecot-keywords`: the keyword of each letter in file names, for one mailbox.
///
/// A line is `0 $Forwarded`; 0 is `a`, 25 is `z`. A letter never gets a new meaning, because files contain it, so a
/// table only grows.
struct KeywordTable: Hashable, Sendable {
    private(set) var names: [Int: Keyword] = [:]

    static let maximum = 26

    init() {}

    init(_ text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
            guard parts.count == 2, let index = Int(String(decoding: parts[0], as: UTF8.self)),
                (0..<Self.maximum).contains(index)
            else { continue }
            let name = String(decoding: parts[1], as: UTF8.self)
            if Keyword.isValid(name) { names[index] = Keyword(name) }
        }
    }

    var bytes: [UInt8] {
        names.sorted { $0.key < $1.key }.flatMap { Array("\($0.key) \($0.value.rawValue)\n".utf8) }
    }

    func letter(of keyword: Keyword) -> UInt8? {
        names.first { $0.value == keyword }.map { UInt8(ascii: "a") + UInt8($0.key) }
    }

    func keyword(of letter: UInt8) -> Keyword? {
        guard letter >= UInt8(ascii: "a"), letter <= UInt8(ascii: "z") else { return nil }
        return names[Int(letter - UInt8(ascii: "a"))]
    }

    func keywords(of letters: [UInt8]) -> Set<Keyword> { Set(letters.compactMap { keyword(of: $0) }) }

    /// Gives the keyword the lowest free letter; false when there is none.
    mutating func add(_ keyword: Keyword) -> Bool {
        if letter(of: keyword) != nil { return true }
        guard let free = (0..<Self.maximum).first(where: { names[$0] == nil }) else { return false }
        names[free] = keyword
        return true
    }
}
