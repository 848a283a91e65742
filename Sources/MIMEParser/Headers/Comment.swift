/// Comments in parentheses, which can be nested. RFC 5322 §3.2.2.
struct CommentReader {
    /// Whether a comment has no end. Then later ones are text too, which keeps many `(` linear.
    private var isUnclosed = false

    /// The end of the comment that begins at `start`; nil: it has none, so the parenthesis is text.
    mutating func end(_ bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
        guard !isUnclosed else { return nil }
        var depth = 0
        var index = start
        while index < bytes.endIndex {
            switch bytes[index] {
            case ASCII.backslash: index += 1
            case ASCII.leftParenthesis: depth += 1
            case ASCII.rightParenthesis:
                depth -= 1
                if depth == 0 { return index + 1 }
            case _: break
            }
            index += 1
        }
        isUnclosed = true
        return nil
    }
}
