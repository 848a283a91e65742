import Foundation
import Models

/// An excerpt of a text around the found words, on one line, with the words marked.
public struct Snippet: Hashable, Sendable {
    public struct Part: Hashable, Sendable {
        public var text: String
        public var isMatch: Bool
    }

    public let parts: [Part]

    /// The maximum number of characters that are searched.
    private static let longest = 100_000

    /// nil: the text contains none of the words. `width` is in characters.
    public init?(words: [String], text: String, width: Int) {
        let line = Self.oneLine(text)
        let lowered = line.map(Self.compared)
        let wanted = words.map { $0.map(Self.compared) }.filter { !$0.isEmpty }
        let first = wanted.compactMap { Self.place(of: $0, in: lowered, from: 0) }.min()
        guard let first else { return nil }
        let start = max(0, min(first - width / 3, line.count - width))
        let end = min(line.count, start + width)
        var matches: [Range<Int>] = []
        for word in wanted {
            var from = start
            while let place = Self.place(of: word, in: lowered, from: from), place < end {
                matches.append(place..<min(end, place + word.count))
                from = place + word.count
            }
        }
        var parts: [Part] = start > 0 ? [Part(text: "…", isMatch: false)] : []
        var done = start
        for match in matches.sorted(by: { $0.lowerBound < $1.lowerBound }) where match.lowerBound >= done {
            if match.lowerBound > done {
                parts.append(Part(text: String(line[done..<match.lowerBound]), isMatch: false))
            }
            parts.append(Part(text: String(line[match]), isMatch: true))
            done = match.upperBound
        }
        if done < end { parts.append(Part(text: String(line[done..<end]), isMatch: false)) }
        if end < line.count { parts.append(Part(text: "…", isMatch: false)) }
        self.parts = parts
    }

    /// Whether the text has a word that begins with `word`.
    public static func has(_ word: String, _ text: String) -> Bool {
        let lowered = oneLine(text).map(compared)
        return place(of: word.map(compared), in: lowered, from: 0) != nil
    }

    /// The text with each run of white space replaced by one space.
    private static func oneLine(_ text: String) -> [Character] {
        var result: [Character] = []
        for letter in text.prefix(longest) {
            if !letter.isWhitespace {
                result.append(letter)
            } else if !result.isEmpty, result.last != " " {
                result.append(" ")
            }
        }
        if result.last == " " { result.removeLast() }
        return result
    }

    /// In lower case and without an accent, as words are compared.
    private static func compared(_ letter: Character) -> Character {
        let lower = letter.lowercased().prefix(1)
        return letter.isASCII
            ? Character(String(lower))
            : PlainLetters.of(String(lower).precomposedStringWithCanonicalMapping).first ?? letter
    }

    private static func place(of word: [Character], in text: [Character], from: Int) -> Int? {
        guard let first = word.first, text.count >= word.count, from <= text.count - word.count else {
            return nil
        }
        return (from...(text.count - word.count)).first { start in
            text[start] == first && (start == 0 || !isWord(text[start - 1]) || !isASCIIWord(first))
                && text[start..<(start + word.count)].elementsEqual(word)
        }
    }

    /// A letter or digit that belongs to the word after it.
    private static func isWord(_ letter: Character) -> Bool {
        (letter.isLetter || letter.isNumber)
            && !letter.unicodeScalars.contains(where: UnspacedScripts.contains)
    }
    private static func isASCIIWord(_ letter: Character) -> Bool { letter.isASCII && isWord(letter) }
}
