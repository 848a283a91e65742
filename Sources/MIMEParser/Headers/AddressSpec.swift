import Models

/// `local@domain` from the words around an `@`. RFC 5322 §3.4.1, with blanks and comments inside as in §4.4.
struct AddressSpec {
    /// The words that it consists of.
    let words: Range<Int>
    private let text: ArraySlice<UInt8>

    /// The address of the last word with an `@`.
    init?(last words: ArraySlice<AddressWord>, in bytes: ArraySlice<UInt8>) {
        guard let at = words.lastIndex(where: \.hasAt) else { return nil }
        self.init(words, around: at, in: bytes)
    }

    /// The address of the first word with an `@`.
    init?(first words: ArraySlice<AddressWord>, in bytes: ArraySlice<UInt8>) {
        guard let at = words.firstIndex(where: \.hasAt) else { return nil }
        self.init(words, around: at, in: bytes)
    }

    /// The address of the word at `at`, and of words that blanks around `@` and `.` separate from it: `ana @ x . org`.
    private init?(_ words: ArraySlice<AddressWord>, around at: Int, in bytes: ArraySlice<UInt8>) {
        guard words.indices.contains(at) else { return nil }
        var low = at
        var high = at
        func first(_ index: Int) -> UInt8 { bytes[words[index].range.lowerBound] }
        func last(_ index: Int) -> UInt8 { bytes[words[index].range.upperBound - 1] }
        if first(low) == ASCII.at, low > words.startIndex, !words[low - 1].hasAt { low -= 1 }
        if last(high) == ASCII.at, high + 1 < words.endIndex, !words[high + 1].hasAt { high += 1 }
        while low > words.startIndex, first(low) == ASCII.dot || last(low - 1) == ASCII.dot,
            !words[low - 1].hasAt, first(low) == ASCII.dot || words[low - 1].range.count == 1
        {
            low -= 1
        }
        while high + 1 < words.endIndex, !words[high + 1].hasAt,
            first(high + 1) == ASCII.dot || Self.waitsForLabel(bytes[words[high].range])
        {
            high += 1
        }
        self.words = low..<(high + 1)
        text = low == high ? bytes[words[low].range] : words[low...high].flatMap { bytes[$0.range] }[...]
    }

    /// `"ana@x.org"`: the whole address is in quotes.
    init?(quoted: ArraySlice<UInt8>) {
        let inner = quoted.dropFirst().dropLast().trimmed
        guard let at = inner.lastIndex(of: ASCII.at), at > inner.startIndex, at + 1 < inner.endIndex,
            inner.allSatisfy({ $0.isAtomText || $0 == ASCII.dot || $0 == ASCII.at })
        else { return nil }
        words = 0..<1
        text = inner
    }

    /// Whether a domain continues after a space: it ends with its only dot, or is a lone dot.
    private static func waitsForLabel(_ word: ArraySlice<UInt8>) -> Bool {
        guard word.last == ASCII.dot else { return false }
        let domain = word.dropLast()
        let start = domain.lastIndex(of: ASCII.at).map { $0 + 1 } ?? domain.startIndex
        return !domain[start...].contains(ASCII.dot)
    }

    // MARK: The address

    /// nil: nothing remains, as with `@:`.
    func address(name: String) -> EmailAddress? {
        var spec = text
        if let end = Self.routeEnd(spec) { spec = spec[end...] }
        if spec.count > 7, spec[spec.startIndex..<(spec.startIndex + 7)].isWord("mailto:") {
            spec = spec.dropFirst(7).prefix { $0 != ASCII.question }
        }
        // `'ana@x.org'`: one program writes addresses without a name in this form.
        if spec.count > 2, spec.first == 0x27, spec.last == 0x27 { spec = spec.dropFirst().dropLast() }
        while let last = spec.last, last == ASCII.dot || last == ASCII.colon { spec = spec.dropLast() }
        guard let at = spec.lastIndex(of: ASCII.at) else {
            return Self.nonEmpty(EmailAddress(displayName: name, localPart: Self.readable(spec), domain: ""))
        }
        guard at > spec.startIndex else {
            // `@ana` does not name a mailbox.
            let text = Self.readable(spec)
            let shown = name.isEmpty && text != "@" ? text : name
            return Self.nonEmpty(EmailAddress(displayName: shown, localPart: "", domain: ""))
        }
        return EmailAddress(
            displayName: name, localPart: Self.withoutNeedlessQuotes(spec[..<at]),
            domain: Self.readable(spec[(at + 1)...]))
    }

    /// Where an obsolete route such as `@relay,@[IPv6:2001:db8::1]:` ends; nil: there is none. RFC 5322 §4.4.
    private static func routeEnd(_ spec: ArraySlice<UInt8>) -> Int? {
        guard spec.first == ASCII.at else { return nil }
        var isLiteral = false
        for index in spec.indices {
            switch spec[index] {
            case ASCII.leftBracket: isLiteral = true
            case ASCII.rightBracket: isLiteral = false
            case ASCII.colon where !isLiteral: return index + 1
            case _: break
            }
        }
        return nil
    }

    private static func nonEmpty(_ address: EmailAddress) -> EmailAddress? {
        address.displayName.isEmpty && address.localPart.isEmpty ? nil : address
    }

    /// The text in brackets that has no `@`: `<MAILER-DAEMON>`.
    static func withoutDomain(_ words: [AddressWord], in bytes: ArraySlice<UInt8>) -> String {
        readable(words.flatMap { bytes[$0.range] }[...])
    }

    static func isDotAtom(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { $0.isAtomText || $0 == ASCII.dot }
    }

    private static func readable(_ bytes: ArraySlice<UInt8>) -> String {
        HeaderText.plain(bytes) ?? HeaderText.clean(Charset.guessed(bytes))
    }

    /// `"ana"@x.org` is `ana@x.org`; `"a b"@x.org` keeps its quotes, which are part of the address on the wire.
    private static func withoutNeedlessQuotes(_ local: ArraySlice<UInt8>) -> String {
        guard local.count >= 3, local.first == ASCII.quote, local.last == ASCII.quote else {
            return readable(local)
        }
        let inner = local.dropFirst().dropLast()
        let isNeedless = isDotAtom(inner) && inner.first != ASCII.dot && inner.last != ASCII.dot
        return readable(isNeedless ? inner : local)
    }
}
