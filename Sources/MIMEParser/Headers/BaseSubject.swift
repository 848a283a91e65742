/// A subject without the marks of replies, forwards and lists. RFC 5256 §2.1, with marks of other languages.
public enum BaseSubject {
    /// The base subject on one line; empty: the subject consists of marks.
    public static func of(_ subject: String) -> String { read(subject).base }

    /// Whether the subject is marked as a reply or a forward.
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

    /// Removes a leading `Re:` or `[list] AW[2]:`.
    private static func withoutLeader(_ text: Substring) -> Substring? {
        var rest = text
        while let end = blob(rest) { rest = rest[end...].trimmed }
        return SubjectPrefix.mark(of: rest).map { rest[$0.endIndex...].trimmed }
    }

    /// Removes a leading `[list]`, unless nothing would remain.
    private static func withoutBlob(_ text: Substring) -> Substring? {
        guard let end = blob(text) else { return nil }
        let rest = text[end...].trimmed
        return rest.isEmpty ? nil : rest
    }

    /// The end of a leading `[…]` without inner brackets.
    private static func blob(_ text: Substring) -> String.Index? {
        guard text.first == "[", let end = text.dropFirst().firstIndex(where: { "[]".contains($0) }),
            text[end] == "]"
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
