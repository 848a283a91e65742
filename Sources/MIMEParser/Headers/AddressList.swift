public import Models

/// Addresses of a header field. RFC 5322 §3.4 and §4.4, and what mail really holds.
///
/// The text is taken apart before any word is decoded, so an encoded word can never add an address.
/// Members of groups are addresses like any other; a group without members is none.
public enum AddressList {
    public static func read(_ body: ArraySlice<UInt8>, limits: MIMELimits = .standard) -> [EmailAddress] {
        var reader = AddressReader(bytes: HeaderText.unfolded(body), limits: limits)
        return reader.read()
    }

    public static func read(_ text: String) -> [EmailAddress] { read(Array(text.utf8)[...]) }
}

/// Collects words until a separator, then makes an address of them.
private struct AddressReader {
    let bytes: ArraySlice<UInt8>
    let limits: MIMELimits
    private var index: Int
    private var found: [EmailAddress] = []

    /// Words outside brackets, blanks between them dropped.
    private var words: [Word] = []
    private var comments: [ArraySlice<UInt8>] = []
    /// What stands between `<` and `>`.
    private var angle: [UInt8]?
    /// Words before an unquoted comma that may belong to the next name: `Smith, Ana <ana@x.org>`.
    private var held: [[Word]] = []

    private struct Word {
        /// As written, with quotes.
        var raw: [UInt8]
        /// Without quotes and escapes.
        var plain: [UInt8]
        var hasAt: Bool
    }

    init(bytes: ArraySlice<UInt8>, limits: MIMELimits) {
        self.bytes = bytes
        self.limits = limits
        index = bytes.startIndex
    }

    mutating func read() -> [EmailAddress] {
        while index < bytes.endIndex {
            switch bytes[index] {
            case let byte where byte.isBlank: index += 1
            case ASCII.leftParenthesis: takeComment()
            case ASCII.less: takeAngle()
            case ASCII.greater: index += 1
            case ASCII.comma: separate(isComma: true)
            case ASCII.semicolon: separate(isComma: false)
            case ASCII.colon where !words.contains(where: \.hasAt) && angle == nil:
                // The name of a group.
                release()
                words = []
                comments = []
                index += 1
            case _: takeWord()
            }
        }
        separate(isComma: false)
        return found
    }

    // MARK: Pieces

    private mutating func takeComment() {
        let end = Comment.end(bytes, from: index)
        let hasEnd = bytes[end - 1] == ASCII.rightParenthesis
        comments.append(bytes[(index + 1)..<max(index + 1, hasEnd ? end - 1 : end)])
        index = end
    }

    /// A run without blanks, in which quoted strings count as one character.
    private mutating func takeWord() {
        var word = Word(raw: [], plain: [], hasAt: false)
        let start = index
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == ASCII.quote {
                takeQuoted(into: &word)
                continue
            }
            let ends =
                byte.isBlank || byte == ASCII.comma || byte == ASCII.semicolon || byte == ASCII.less
                || byte == ASCII.greater || byte == ASCII.leftParenthesis
                || (byte == ASCII.colon && !word.hasAt)
            if ends, index > start { break }
            word.hasAt = word.hasAt || byte == ASCII.at
            word.raw.append(byte)
            word.plain.append(byte)
            index += 1
        }
        words.append(word)
    }

    private mutating func takeQuoted(into word: inout Word) {
        word.raw.append(ASCII.quote)
        index += 1
        while index < bytes.endIndex {
            let byte = bytes[index]
            word.raw.append(byte)
            index += 1
            if byte == ASCII.quote { return }
            if byte == ASCII.backslash, index < bytes.endIndex {
                word.raw.append(bytes[index])
                word.plain.append(bytes[index])
                index += 1
            } else {
                word.plain.append(byte)
            }
        }
        word.raw.append(ASCII.quote)
    }

    /// `<…>`; without its end it goes to the next comma.
    private mutating func takeAngle() {
        index += 1
        var content: [UInt8] = []
        var isQuoted = false
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            if byte == ASCII.quote { isQuoted.toggle() }
            if byte == ASCII.backslash, isQuoted, index < bytes.endIndex {
                content += [byte, bytes[index]]
                index += 1
                continue
            }
            if !isQuoted {
                if byte == ASCII.greater { break }
                if byte == ASCII.less { continue }
                let isRoute = content.first == ASCII.at
                if byte == ASCII.comma || byte == ASCII.semicolon, !isRoute {
                    index -= 1
                    break
                }
                if byte.isBlank { continue }
            }
            content.append(byte)
        }
        // A second pair of brackets says no more than the first, unless that was empty.
        if angle?.isEmpty ?? true { angle = content }
    }

    // MARK: Addresses

    private mutating func separate(isComma: Bool) {
        index += 1
        defer {
            words = []
            comments = []
            angle = nil
        }
        if let angle, !angle.isEmpty || !words.isEmpty {
            let names = held.flatMap { $0 + [Word(raw: [], plain: [ASCII.comma], hasAt: false)] }
            held = []
            add(angle: angle, name: names + words)
            return
        }
        guard let word = words.last(where: \.hasAt) else {
            if isComma, !words.isEmpty, held.count < 8 {
                held.append(words)
            } else {
                release()
                addPlain(words)
            }
            return
        }
        release()
        let others = words.filter { $0.raw != word.raw }
        let name = others.isEmpty ? comments.last.map { EncodedWord.decode($0) } : text(of: others)
        addSpec(word.raw, name: name ?? "")
    }

    /// Held words that were no part of a name are addresses without a domain: `root, ana@x.org`.
    private mutating func release() {
        let waiting = held
        held = []
        for words in waiting { addPlain(words) }
    }

    private mutating func addPlain(_ words: [Word]) {
        guard let first = words.first else { return }
        if words.count == 1, first.raw.allSatisfy({ $0.isAtomText || $0 == ASCII.dot }),
            !HeaderText.mayHoldWords(first.raw[...])
        {
            found.append(EmailAddress(localPart: first.raw[...].text, domain: ""))
        } else {
            let name = text(of: words)
            if !name.isEmpty { found.append(EmailAddress(displayName: name, localPart: "", domain: "")) }
        }
    }

    private mutating func add(angle: [UInt8], name words: [Word]) {
        if angle.isEmpty, let word = words.last(where: \.hasAt) {
            addSpec(word.raw, name: "")
            return
        }
        var name = text(of: words)
        if name.isEmpty, let comment = comments.last { name = EncodedWord.decode(comment) }
        addSpec(angle, name: name)
    }

    private mutating func addSpec(_ raw: [UInt8], name: String) {
        var spec = raw[...]
        // `<@relay,@other:ana@x.org>`: a route, long obsolete. RFC 5322 §4.4.
        if spec.first == ASCII.at, let colon = spec.lastIndex(of: ASCII.colon) { spec = spec[(colon + 1)...] }
        if spec.prefix(7).elementsEqual("mailto:".utf8) { spec = spec.dropFirst(7) }
        guard let at = spec.lastIndex(of: ASCII.at) else {
            guard !spec.isEmpty || !name.isEmpty else { return }
            found.append(EmailAddress(displayName: name, localPart: Self.readable(spec), domain: ""))
            return
        }
        let local = Self.withoutNeedlessQuotes(spec[..<at])
        let domain = Self.readable(spec[(at + 1)...].trimmed)
        guard !local.isEmpty || !domain.isEmpty else { return }
        found.append(EmailAddress(displayName: name, localPart: local, domain: domain))
    }

    private func text(of words: [Word]) -> String {
        var bytes: [UInt8] = []
        for word in words {
            let isComma = word.raw.isEmpty && word.plain == [ASCII.comma]
            if !bytes.isEmpty, !isComma { bytes.append(ASCII.space) }
            bytes += word.plain
        }
        return EncodedWord.decode(bytes[...], limit: limits.encodedWords)
    }

    private static func readable(_ bytes: ArraySlice<UInt8>) -> String {
        HeaderText.clean(Charset.guessed(bytes))
    }

    /// `"ana"@x.org` is `ana@x.org`; `"a b"@x.org` keeps its quotes, which are part of the address on the wire.
    private static func withoutNeedlessQuotes(_ local: ArraySlice<UInt8>) -> String {
        let local = local.trimmed
        guard local.count >= 3, local.first == ASCII.quote, local.last == ASCII.quote else {
            return readable(local)
        }
        let inner = local.dropFirst().dropLast()
        let isDotAtom =
            inner.allSatisfy { $0.isAtomText || $0 == ASCII.dot } && inner.first != ASCII.dot
            && inner.last != ASCII.dot
        return readable(isDotAtom ? inner : local)
    }
}
