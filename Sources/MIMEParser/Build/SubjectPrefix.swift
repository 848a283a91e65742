/// Marks a subject as a reply or a forward, once, and recognises the marks of other languages.
public enum SubjectPrefix {
    /// `Re: …`. An existing mark stays: `AW: Re: x` becomes `AW: x`.
    public static func reply(_ subject: String) -> String { marked(subject, "Re: ", replies) }

    /// `Fwd: …`. The marks of a reply stay after it: `Re: x` becomes `Fwd: Re: x`.
    public static func forward(_ subject: String) -> String { marked(subject, "Fwd: ", forwards) }

    /// The mark of a reply or a forward at the beginning.
    static func mark(of subject: Substring) -> Substring? {
        prefix(of: subject, replies) ?? prefix(of: subject, forwards)
    }

    private static func marked(_ subject: String, _ mark: String, _ known: Set<String>) -> String {
        let subject = HeaderText.clean(subject)
        guard let first = prefix(of: subject[...], known) else { return mark + subject }
        var rest = subject[first.endIndex...].trimmed
        while let next = prefix(of: rest, known) { rest = rest[next.endIndex...].trimmed }
        return first + " " + rest
    }

    /// The mark at the front with its colon: `Re:`, `Re[2]:`, `Re [list]:`, `AW :`, `回复：`.
    private static func prefix(of subject: Substring, _ known: Set<String>) -> Substring? {
        let head = subject.unicodeScalars.prefix(longestHead)
        guard let colon = head.firstIndex(where: { $0 == ":" || $0 == "\u{FF1A}" }) else { return nil }
        var word = subject.unicodeScalars[..<colon]
        while word.last == " " { word.removeLast() }
        let letters = word.count
        if word.last == "]", let start = word.firstIndex(of: "[") {
            let name = word[word.index(after: start)...].dropLast()
            guard !name.contains(where: { $0 == "[" || $0 == "]" }) else { return nil }
            if !name.allSatisfy({ $0.value < 0x80 && $0.properties.numericType != nil }) {
                word = word[..<start]
                while word.last == " " { word.removeLast() }
            }
        }
        guard word.count <= longest else { return nil }
        // `Re[2]`, `Re(2)`, `Re^2`: how often, as some programs count.
        if word.last == "]" || word.last == ")" { word.removeLast() }
        while let last = word.last, last.value < 0x80, last.properties.numericType != nil {
            word.removeLast()
        }
        if let last = word.last, "[(^".unicodeScalars.contains(last) { word.removeLast() }
        // `R:` is an Italian reply, but `R2:` is a name.
        guard word.count > 1 || word.count == letters else { return nil }
        guard known.contains(String(word).lowercased()) else { return nil }
        return subject[..<subject.unicodeScalars.index(after: colon)]
    }

    private static let longest = 20
    /// With the name of a list: `Re [swift-evolution]:`. RFC 5256 §5.
    private static let longestHead = 64

    private static let replies: Set<String> = [
        "re", "aw", "antw", "antwort", "sv", "vs", "ad", "odp", "ynt", "yan", "res", "rép", "rif", "vá",
        "atb",
        "ref", "απ", "σχετ", "на", "отв", "ответ", "re-", "ré", "回复", "回覆", "答复", "答覆", "返信", "답장", "회신",
        "r", "bls", "odg", "رد", "השב", "תגובה", "תשובה", "rep", "réf",
    ]

    private static let forwards: Set<String> = [
        "fwd", "fw", "wg", "tr", "rv", "enc", "vb", "vl", "pd", "i̇lt", "ilt", "doorst", "továbbítás", "fs",
        "πρθ", "пересл", "转发", "轉寄", "轉發", "転送", "전달", "i", "trs", "إعادة توجيه", "הועבר", "yml",
    ]
}

extension Substring {
    /// Without blanks in front.
    fileprivate var trimmed: Substring { self[(unicodeScalars.firstIndex { $0 != " " } ?? endIndex)...] }
}
