/// A subject without what answers, forwards and lists put round it. RFC 5256 §2.1, with the marks of other languages.
public enum BaseSubject {
    /// One clean line; empty where the subject holds nothing else.
    public static func of(_ subject: String) -> String { read(subject).base }

    /// Whether the subject is marked as that of an answer or a forward.
    public static func isMarked(_ subject: String) -> Bool { read(subject).isMarked }

    private static func read(_ subject: String) -> (base: String, isMarked: Bool) {
        var rest = collapsed(subject)[...]
        var isMarked = false
        while true {
            let before = rest
            while rest.unicodeScalars.suffix(5).isWord("(fwd)") {
                rest = rest.dropLast(5).trimmed
                isMarked = true
            }
            while true {
                if let shorter = withoutLeader(rest) {
                    rest = shorter
                    isMarked = true
                } else if let shorter = withoutBlob(rest) {
                    rest = shorter
                } else {
                    break
                }
            }
            if let inside = forwarded(rest) {
                rest = inside
                isMarked = true
            }
            if rest == before { return (String(rest), isMarked) }
        }
    }

    /// `Re:`, `[list] AW[2]:` in front.
    private static func withoutLeader(_ text: Substring) -> Substring? {
        var rest = text
        while let end = blob(rest) { rest = rest[end...].trimmed }
        return SubjectPrefix.mark(of: rest).map { rest[$0.endIndex...].trimmed }
    }

    /// `[list]` in front, unless nothing is left.
    private static func withoutBlob(_ text: Substring) -> Substring? {
        guard let end = blob(text) else { return nil }
        let rest = text[end...].trimmed
        return rest.isEmpty ? nil : rest
    }

    /// Where `[…]` in front ends; there are no brackets in it.
    private static func blob(_ text: Substring) -> String.Index? {
        guard text.first == "[", let end = text.dropFirst().firstIndex(where: { "[]".contains($0) }),
            text[end] == "]", end != text.index(after: text.startIndex)
        else { return nil }
        return text.index(after: end)
    }

    /// What `[fwd: …]` is about.
    private static func forwarded(_ text: Substring) -> Substring? {
        guard text.last == "]", text.unicodeScalars.prefix(5).isWord("[fwd:") else { return nil }
        return text.dropFirst(5).dropLast().trimmed
    }

    /// Each run of blanks as one, and none at the ends.
    private static func collapsed(_ text: String) -> String {
        HeaderText.clean(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var rest = drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }
}

extension Substring.UnicodeScalarView {
    fileprivate func isWord(_ word: String) -> Bool { String(self).lowercased() == word }
}
