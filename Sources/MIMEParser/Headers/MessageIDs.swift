public import Models

/// Message ids of `Message-ID`, `In-Reply-To` and `References`. RFC 5322 §3.6.4.
///
/// An id without an `@` is no id: `In-Reply-To: <yes>`, typed at a prompt, would join strangers.
public enum MessageIDs {
    /// Ids that are kept of one field: the first and the last ones.
    static let limit = 256

    public static func own(_ body: ArraySlice<UInt8>) -> MessageID? {
        bracketed(body).ids.first ?? bare(body).first
    }

    /// `References`, oldest first.
    public static func references(_ body: ArraySlice<UInt8>) -> [MessageID] {
        let ids = bracketed(body).ids
        return bounded(ids.isEmpty ? bare(body) : ids)
    }

    /// `In-Reply-To`, the best guess first.
    ///
    /// Old programs write a sentence: `Message from Ann <ann@x.org> of "Thu" <199604.AA12@x.org>`. Where there is
    /// text beside the brackets, what looks like an id is taken and an address is not.
    public static func inReplyTo(_ body: ArraySlice<UInt8>) -> [MessageID] {
        let (ids, hasText) = bracketed(body)
        guard !ids.isEmpty else { return bounded(bare(body).filter { looksLikeID($0) }) }
        guard hasText else { return bounded(ids) }
        let likely = ids.filter { looksLikeID($0) }
        return bounded(likely.isEmpty ? ids : likely)
    }

    // MARK: Reading

    /// What stands in angle brackets and is an id, and whether anything but ids was there.
    private static func bracketed(_ body: ArraySlice<UInt8>) -> (ids: [MessageID], hasText: Bool) {
        var ids: [MessageID] = []
        var hasText = false
        var index = body.startIndex
        while index < body.endIndex {
            let byte = body[index]
            if byte == ASCII.leftParenthesis {
                index = Comment.end(body, from: index)
            } else if byte == ASCII.less {
                let start = index + 1
                index = start
                while index < body.endIndex, body[index] != ASCII.greater, body[index] != ASCII.less {
                    index += 1
                }
                if let id = id(body[start..<index]) { ids.append(id) }
                if index < body.endIndex, body[index] == ASCII.greater { index += 1 }
            } else {
                if !byte.isBlank, byte != ASCII.comma { hasText = true }
                index += 1
            }
        }
        return (ids, hasText)
    }

    /// Words with an `@`, where nobody wrote brackets.
    private static func bare(_ body: ArraySlice<UInt8>) -> [MessageID] {
        body.split(whereSeparator: {
            $0.isBlank || $0 == ASCII.comma || $0 == ASCII.less || $0 == ASCII.greater
        })
        .compactMap(id)
    }

    private static func id(_ raw: ArraySlice<UInt8>) -> MessageID? {
        // Long ids come folded in the middle.
        let bytes = raw.contains(where: \.isBlank) ? raw.filter { !$0.isBlank }[...] : raw
        guard bytes.count <= 998, let at = bytes.lastIndex(of: ASCII.at), at > bytes.startIndex,
            at + 1 < bytes.endIndex, !bytes.contains(where: \.isControl)
        else { return nil }
        return MessageID(bytes.text)
    }

    private static func looksLikeID(_ id: MessageID) -> Bool {
        let local = id.rawValue.utf8.prefix { $0 != ASCII.at }
        return local.count >= 20 || local.filter(\.isDigit).count >= 4
            || local.contains(where: { $0 == UInt8(ascii: "$") || $0 == ASCII.percent })
    }

    private static func bounded(_ ids: [MessageID]) -> [MessageID] {
        guard ids.count > limit, let first = ids.first else { return ids }
        return [first] + ids.suffix(limit - 1)
    }
}
