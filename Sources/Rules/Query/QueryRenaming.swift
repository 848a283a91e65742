/// Renames a mailbox in a query: in the terms that name the mailbox, but not in searched text.
public enum QueryRenaming {
    /// nil: the query does not name the mailbox.
    public static func renamed(_ query: String, mailbox old: String, to new: String) -> String? {
        var parser = QueryParser(query, names: KnownNames())
        let places = parser.mailboxes().filter { $0.name.folded == old.folded }
        guard !places.isEmpty else { return nil }
        var letters = parser.letters
        for place in places.reversed() {
            letters.replaceSubrange(place.range, with: Array(spelled(new)))
        }
        return String(letters)
    }

    private static func spelled(_ name: String) -> String {
        let isWord = name.allSatisfy { $0.isLetter || $0.isNumber || "-_./@".contains($0) }
        return isWord
            ? name : "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

extension QueryParser {
    /// The value of each `in:`, in order. Stops at an error in the query.
    fileprivate mutating func mailboxes() -> [(range: Range<Int>, name: String)] {
        var found: [(range: Range<Int>, name: String)] = []
        while index < letters.count {
            if isEnd(letters[index]) || letters[index] == "-" {
                index += 1
                continue
            }
            var prefixes: [String] = []
            while case let name = peekName(), !name.isEmpty, index + name.count < letters.count,
                ":<>=".contains(letters[index + name.count])
            {
                prefixes.append(name)
                index += name.count + 1
                while index < letters.count, "<>=".contains(letters[index]) { index += 1 }
            }
            guard index < letters.count, !isEnd(letters[index]) else { continue }
            let start = index
            let isMailbox = prefixes == ["in"]
            guard let raw = try? value(takesForms: !isMailbox) else { return found }
            if isMailbox { found.append((start..<index, raw.text)) }
        }
        return found
    }
}
