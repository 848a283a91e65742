import Models

/// The name of a message file: what identifies it, and the letters that change.
///
/// `1700000000.M1P2.host,S=4021:2,FSab`: everything before the colon never changes; `S=` is the size of
/// the file; the letters after `2,` are flags (upper case) and Dovecot's keywords (lower case, in the order
/// of `dovecot-keywords`). Letters of other programs, such as `P` for forwarded, are kept.
struct MaildirFileName: Hashable, Sendable {
    /// The name before `:`.
    var base: [UInt8]
    /// The letters after `:2,`, as found.
    var letters: [UInt8]

    init(base: [UInt8], letters: [UInt8] = []) {
        self.base = base
        self.letters = letters
    }

    init(_ name: [UInt8]) {
        guard let colon = name.firstIndex(of: UInt8(ascii: ":")) else {
            self.init(base: name)
            return
        }
        let info = name[(colon + 1)...]
        let isStandard = info.starts(with: [UInt8(ascii: "2"), UInt8(ascii: ",")])
        self.init(base: Array(name[..<colon]), letters: isStandard ? Array(info.dropFirst(2)) : [])
    }

    var unique: String { String(decoding: base, as: UTF8.self) }

    /// The name in `cur`.
    var bytes: [UInt8] {
        base + [UInt8(ascii: ":"), UInt8(ascii: "2"), UInt8(ascii: ",")] + Set(letters).sorted()
    }

    /// The size that the writer put into the name (`,S=4021`).
    var size: Int? {
        let marker: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: "S"), UInt8(ascii: "=")]
        var index = base.startIndex
        while index + marker.count < base.endIndex {
            if base[index..<(index + marker.count)].elementsEqual(marker) {
                return Self.number(base[(index + marker.count)...])
            }
            index += 1
        }
        return nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        var value = 0
        var digits = 0
        for byte in bytes.prefix(while: { $0 != UInt8(ascii: ",") }) {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), digits < 15 else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            digits += 1
        }
        return digits > 0 ? value : nil
    }

    var flags: Set<Flag> { Set(letters.compactMap { Self.flag(of: $0) }) }

    static func flag(of letter: UInt8) -> Flag? {
        switch letter {
        case UInt8(ascii: "D"): .draft
        case UInt8(ascii: "F"): .flagged
        case UInt8(ascii: "R"): .answered
        case UInt8(ascii: "S"): .seen
        case UInt8(ascii: "T"): .deleted
        case _: nil
        }
    }

    static func letter(of flag: Flag) -> UInt8 {
        switch flag {
        case .draft: UInt8(ascii: "D")
        case .flagged: UInt8(ascii: "F")
        case .answered: UInt8(ascii: "R")
        case .seen: UInt8(ascii: "S")
        case .deleted: UInt8(ascii: "T")
        }
    }

    /// Whether a text of ours may stand before the colon.
    static func isValid(unique: String) -> Bool {
        let bytes = unique.utf8
        return !bytes.isEmpty && bytes.count <= 200 && bytes.first != UInt8(ascii: ".")
            && bytes.allSatisfy {
                $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
            }
    }
}
