/// Comments in parentheses, which may nest. RFC 5322 §3.2.2.
struct CommentReader {
    /// Once one has no end, those after it are text too: keeps a flood of `(` linear.
    private var isUnclosed = false

    /// Where the comment that begins at `start` ends; nil when it never does, and the parenthesis is text.
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
