import Models

/// The name of a message file: a constant part and variable letters.
///
/// `1700000000.M1P2.host,S=4021,U=7:2,FSab`: the text before the colon stays, except for `U=`. That is mbsync's UID of
/// the message in this folder, which mbsync adds to files of other programs, and which must be removed in another
/// folder. `S=` is the size of the file. The letters after `2,` are flags (upper case) and Dovecot's keywords (lower
/// case, in the order of `dovecot-keywords`). Letters of other programs, such as `P` for forwarded, are kept. So is what comes
/// after another comma: Dovecot allows other programs to add fields there.
struct MaildirFileName: Hashable, Sendable {
    /// The name before `:`.
    var base: [UInt8]
    /// The letters after `:2,`, unchanged.
    var letters: [UInt8]
    /// What another program wrote after the letters, from the comma on; it is kept.
    var rest: [UInt8] = []

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
        let flags = isStandard ? info.dropFirst(2) : []
        let letters = flags.prefix { $0 != UInt8(ascii: ",") }
        self.init(base: Array(name[..<colon]), letters: Array(letters))
        rest = Array(flags.dropFirst(letters.count))
    }

    /// What identifies the message in every folder, whether or not mbsync has seen it.
    var unique: String { String(decoding: stem, as: UTF8.self) }

    /// `base` without mbsync's UID.
    var stem: [UInt8] {
        guard let field = syncField else { return base }
        return Array(base[..<field.lowerBound] + base[field.upperBound...])
    }

    /// The UID that mbsync gave the message in this folder (`,U=7`).
    var syncUID: UInt32? {
        syncField.flatMap { Self.number(base[($0.lowerBound + 3)..<$0.upperBound]) }
            .flatMap { UInt32(exactly: $0) }
    }

    /// The name in another folder of the same message.
    func leaving(with letters: [UInt8]) -> MaildirFileName {
        var name = MaildirFileName(base: stem, letters: letters)
        name.rest = rest
        return name
    }

    /// The range of `,U=` and its digits. A `,U=` without digits is part of the name.
    private var syncField: Range<Int>? { base.withUnsafeBytes(Self.syncField) }

    /// The same, of the bytes before the colon.
    static func syncField(of base: UnsafeRawBufferPointer) -> Range<Int>? {
        guard let start = start(of: syncMarker, in: base), start > 0 else { return nil }
        let end = base[(start + 3)...].firstIndex { $0 < UInt8(ascii: "0") || $0 > UInt8(ascii: "9") }
        let digits = (end ?? base.count) - start - 3
        let isWhole = end.map { base[$0] == UInt8(ascii: ",") } ?? true
        return digits > 0 && digits <= 10 && isWhole ? start..<(start + 3 + digits) : nil
    }

    private static let sizeMarker = UInt8(ascii: "S")
    private static let syncMarker = UInt8(ascii: "U")

    /// Where `,S=` or `,U=` begins. Few names have more than one comma.
    private static func start(of letter: UInt8, in base: UnsafeRawBufferPointer) -> Int? {
        var place = 0
        while place + 2 < base.count {
            if base[place] == UInt8(ascii: ","), base[place + 1] == letter,
                base[place + 2] == UInt8(ascii: "=")
            {
                return place
            }
            place += 1
        }
        return nil
    }

    /// The name in `cur`.
    var bytes: [UInt8] {
        base + [UInt8(ascii: ":"), UInt8(ascii: "2"), UInt8(ascii: ",")] + Set(letters).sorted() + rest
    }

    /// The size that the writer put into the name (`,S=4021`).
    var size: Int? {
        let found = base.withUnsafeBytes { Self.start(of: Self.sizeMarker, in: $0) }
        guard let start = found else { return nil }
        return Self.number(base[(start + 3)...])
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

    static func flag(of letter: UInt8) -> Flag? { Flag.allCases.first { Self.letter(of: $0) == letter } }

    static func letter(of flag: Flag) -> UInt8 {
        switch flag {
        case .draft: UInt8(ascii: "D")
        case .flagged: UInt8(ascii: "F")
        case .answered: UInt8(ascii: "R")
        case .seen: UInt8(ascii: "S")
        case .deleted: UInt8(ascii: "T")
        }
    }

    /// Whether a text may be used before the colon.
    static func isValid(unique: String) -> Bool {
        let bytes = unique.utf8
        return !bytes.isEmpty && bytes.count <= 200 && bytes.first != UInt8(ascii: ".")
            && bytes.allSatisfy {
                $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
            }
    }
}
