import Foundation
import Models
import Rules

/// How well a message matches the words of a query. The subject counts more than the sender, the sender more
/// than the text, and whole words more than prefixes.
struct SearchRank {
    private let words: [[Character]]

    init(_ query: Query) {
        words = query.lookup.requiredWords.map { Self.letters($0.text) }
    }

    /// The rank of a message; a larger value is a better match.
    func value(of facts: MessageFacts) -> Int {
        let writers = facts.from.map { "\($0.displayName) \($0.addrSpec)" }.joined(separator: " ")
        let (subject, from) = (Self.letters(facts.subject), Self.letters(writers))
        let text = facts.text.map { Self.letters(String($0.prefix(Self.longest))) } ?? []
        return words.reduce(0) { sum, word in
            let fits = [3 * Self.fit(word, subject), 2 * Self.fit(word, from), Self.fit(word, text)]
            return sum + (word == subject ? 10 : fits.max() ?? 0)
        }
    }

    private static let longest = 20_000

    /// In lower case and without accents, as words are compared.
    private static func letters(_ text: String) -> [Character] {
        let lower = ComposedLetters.lowercase(text) ?? text.precomposedStringWithCanonicalMapping.lowercased()
        return Array(PlainLetters.of(lower))
    }

    /// 2: the text contains it as whole words; 1: as a prefix or part of a word; 0: not at all.
    private static func fit(_ word: [Character], _ text: [Character]) -> Int {
        guard !word.isEmpty, text.count >= word.count else { return 0 }
        var best = 0
        for start in 0...(text.count - word.count) where text[start] == word[0] {
            guard text[start..<(start + word.count)].elementsEqual(word) else { continue }
            let end = start + word.count
            let isWhole =
                (start == 0 || !isWord(text[start - 1])) && (end == text.count || !isWord(text[end]))
            if isWhole { return 2 }
            best = 1
        }
        return best
    }

    /// A letter or digit that belongs to the word beside it.
    private static func isWord(_ letter: Character) -> Bool {
        (letter.isLetter || letter.isNumber)
            && !letter.unicodeScalars.contains(where: UnspacedScripts.contains)
    }
}
