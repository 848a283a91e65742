/// The zone of a date. A number has precedence over a name, and a name over a comment. RFC 5322 §3.3, §4.3.
struct DateZone {
    private var number: Int??
    private var name: Int?
    private var comment: Int?

    /// Seconds east of UTC; nil: unknown.
    var offset: Int? { number ?? name ?? comment }

    /// `+0530` is 530. `-0000` and impossible offsets mean an unknown zone.
    mutating func take(number value: Int, isWest: Bool) {
        guard number == nil else { return }
        let isKnown = value <= 1_400 && value % 100 < 60 && !(value == 0 && isWest)
        let seconds = value / 100 * 3_600 + value % 100 * 60
        number = .some(isKnown ? (isWest ? -seconds : seconds) : nil)
    }

    /// Returns whether the word is a zone. Unknown names and military letters, which were used with both signs, mean an
    /// unknown zone.
    mutating func take(name word: ArraySlice<UInt8>) -> Bool {
        // Such as `MET DST`.
        if let standard = name, word.isWord("dst") { name = standard + 3_600 }
        guard let found = Self.offset(of: word) else { return false }
        name = name ?? found
        return true
    }

    mutating func take(comment text: ArraySlice<UInt8>) { comment = comment ?? Self.offset(of: text) }

    private static func offset(of word: ArraySlice<UInt8>) -> Int? {
        guard word.count <= 4 else { return nil }
        return names.first { word.isWord($0.name) }.map { $0.minutes * 60 }
    }

    /// Minutes east. The first are of the RFC; of the others only those that one zone alone is called by.
    private static let names: [(name: StaticString, minutes: Int)] = [
        ("gmt", 0), ("utc", 0), ("ut", 0), ("z", 0), ("est", -300), ("edt", -240), ("cst", -360),
        ("cdt", -300), ("mst", -420), ("mdt", -360), ("pst", -480), ("pdt", -420), ("akst", -540),
        ("akdt", -480), ("hst", -600), ("wet", 0), ("west", 60), ("bst", 60), ("cet", 60), ("met", 60),
        ("mez", 60), ("cest", 120), ("mest", 120), ("mesz", 120), ("eet", 120), ("eest", 180), ("msk", 180),
        ("sast", 120), ("jst", 540), ("kst", 540), ("hkt", 480), ("aest", 600), ("aedt", 660), ("nzst", 720),
        ("nzdt", 780),
    ]
}
