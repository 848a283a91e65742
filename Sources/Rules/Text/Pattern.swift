import CRE2

/// A regular expression of RE2, which always takes linear time.
///
/// No look-around and no back-references; `\b` and `\w` only support ASCII. At most 1 MiB of a text is
/// searched, with at most 8 MiB of memory.
final class Pattern: @unchecked Sendable {
    /// Why a pattern was rejected, and the faulty part of it.
    struct Refusal: Error {
        let reason: String
        let fragment: String
    }

    static let maximumInput = 1 << 20
    private static let maximumMemory: Int64 = 8 << 20
    private static let maximumPattern = 10_000
    /// In instructions. RE2 does not cache the states of a larger program, which makes it a thousand times
    /// slower.
    static let maximumProgram = 20_000

    let source: String
    /// Whether it contains an `@`: such a pattern is for addresses and is never compared with display names.
    let hasAt: Bool
    /// The names of the named groups, with their numbers.
    let groups: [(name: String, number: Int)]
    // RE2 objects are immutable after compilation and may be matched from many threads: hence @unchecked.
    private let handle: OpaquePointer
    private let groupCount: Int
    /// An upper bound of the cost per byte of text.
    let programSize: Int
    /// Folded text that every match contains, if known: the longest literal piece of a glob.
    let literal: FoldedText?
    /// Whether accents count. A glob without an `@` ignores them.
    let keepsAccents: Bool
    /// Whether it was typed with accents that it ignores.
    let hadAccents: Bool

    init(
        _ source: String, literal: FoldedText? = nil, keepsAccents: Bool = true, hadAccents: Bool = false
    ) throws(Refusal) {
        guard source.utf8.count <= Self.maximumPattern else {
            throw Refusal(reason: "longer than \(Self.maximumPattern) bytes", fragment: "")
        }
        var error: UnsafeMutablePointer<CChar>?
        var fragment: UnsafeMutablePointer<CChar>?
        var text = source
        let handle = text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
                opus_re2_compile($0.baseAddress, $0.count, Self.maximumMemory, &error, &fragment)
            }
        }
        defer {
            opus_re2_free_text(error)
            opus_re2_free_text(fragment)
        }
        guard let handle else {
            throw Refusal(
                reason: error.map { String(cString: $0) } ?? "not enough memory",
                fragment: fragment.map { String(cString: $0) } ?? "")
        }
        let size = Int(opus_re2_program_size(handle))
        guard size <= Self.maximumProgram else {
            opus_re2_free(handle)
            throw Refusal(
                reason: "its repetitions expand to \(size) steps, more than \(Self.maximumProgram)",
                fragment: ""
            )
        }
        programSize = size
        self.handle = handle
        self.source = source
        hasAt = source.utf8.contains(UInt8(ascii: "@"))
        self.literal = literal
        self.keepsAccents = keepsAccents
        self.hadAccents = hadAccents
        groupCount = Int(opus_re2_group_count(handle))
        groups = (0..<groupCount).compactMap { index in
            opus_re2_group_name(handle, Int32(index + 1)).map { (String(cString: $0), index + 1) }
        }
    }

    deinit { opus_re2_free(handle) }

    /// Whether the pattern occurs in the bytes.
    func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.withMemoryRebound(to: CChar.self) {
            opus_re2_match(handle, $0.baseAddress, min($0.count, Self.maximumInput), nil, 0) == 1
        }
    }

    func matches(_ text: FoldedText) -> Bool {
        (keepsAccents ? text.bytes : text.words).withUnsafeBufferPointer { matches($0) }
    }

    /// The named groups that took part in the match; nil: no match. Without named groups, the position is not
    /// computed, because that takes much longer.
    func captures(in text: String) -> [String: String]? {
        var text = text
        guard groups.isEmpty else { return firstMatch(in: text)?.groups }
        return text.withUTF8 { matches($0) } ? [:] : nil
    }

    /// The matched text, and the named groups that took part; nil: no match.
    func firstMatch(in text: String) -> (whole: String, groups: [String: String])? {
        var text = text
        // Usually there is no match, which is detected much faster without groups.
        guard text.withUTF8({ matches($0) }) else { return nil }
        var ranges = [Int64](repeating: -1, count: 2 * (groupCount + 1))
        return text.withUTF8 { utf8 -> (String, [String: String])? in
            let found = utf8.withMemoryRebound(to: CChar.self) {
                opus_re2_match(
                    handle, $0.baseAddress, min($0.count, Self.maximumInput), &ranges, Int32(groupCount + 1))
            }
            guard found == 1 else { return nil }
            func part(_ number: Int) -> String? {
                let (start, end) = (Int(ranges[2 * number]), Int(ranges[2 * number + 1]))
                guard start >= 0, end >= start, end <= utf8.count else { return nil }
                return String(decoding: utf8[start..<end], as: UTF8.self)
            }
            var values: [String: String] = [:]
            for group in groups { values[group.name] = part(group.number) }
            return (part(0) ?? "", values)
        }
    }

    /// `*` matches any text, `?` one character; the whole text must match. Works on folded text. Accents count if `keepsAccents`
    /// is true, or if the text has an `@`: an address with an accent is another address.
    static func glob(_ text: String, keepsAccents: Bool = false) throws(Refusal) -> Pattern {
        let folded = FoldedText(text)
        let keepsAccents = keepsAccents || folded.hasAt
        let wanted = keepsAccents ? folded.string : String(decoding: folded.words, as: UTF8.self)
        var pattern = "(?s)\\A"
        for scalar in wanted.unicodeScalars {
            switch scalar {
            case "*": pattern += ".*"
            case "?": pattern += "."
            case _ where scalar.isASCII && !FoldedText.isWord(scalar): pattern += "\\" + String(scalar)
            case _: pattern.unicodeScalars.append(scalar)
            }
        }
        let pieces = wanted.split { $0 == "*" || $0 == "?" }
        let longest = pieces.max { $0.utf8.count < $1.utf8.count }
        return try Pattern(
            pattern + "\\z", literal: longest.map { FoldedText(folded: Array($0.utf8)) },
            keepsAccents: keepsAccents, hadAccents: !keepsAccents && folded.hasAccents)
    }

    /// The offset of a `\b` next to a letter that is not ASCII: RE2 detects no word boundary there.
    static func asciiOnlyBoundary(in source: String) -> Int? {
        let letters = Array(source)
        func isForeign(_ index: Int) -> Bool {
            guard letters.indices.contains(index), let scalar = letters[index].unicodeScalars.first else {
                return false
            }
            return !scalar.isASCII && FoldedText.isWord(scalar)
        }
        var index = 0
        while index + 1 < letters.count {
            guard letters[index] == "\\" else {
                index += 1
                continue
            }
            if letters[index + 1] == "b" || letters[index + 1] == "B",
                isForeign(index - 1) || isForeign(index + 2)
            {
                return index
            }
            index += 2
        }
        return nil
    }
}
