public import Models

/// The addresses of a header field. RFC 5322 §3.4 and §4.4, and forms that occur in mail.
///
/// The text is split before any word is decoded, so an encoded word can never add an address. Members of groups count
/// as single addresses; an empty group has none.
public enum AddressList {
    public static func read(_ body: ArraySlice<UInt8>, limits: MIMELimits = .standard) -> [EmailAddress] {
        var reader = AddressReader(HeaderText.unfolded(body), limits: limits)
        return reader.read()
    }

    public static func read(_ text: String) -> [EmailAddress] { read(Array(text.utf8)[...]) }
}

/// Collects words up to a separator, then makes addresses from them.
private struct AddressReader {
    private let limits: MIMELimits
    private var scanner: AddressWordScanner
    private var found: [EmailAddress] = []

    /// The words outside brackets since the last address.
    private var words: [AddressWord] = []
    /// Positions in `words` of commas that may be part of a name: `Smith, Ana <ana@x.org>`.
    private var commas: [Int] = []
    private var comment: ArraySlice<UInt8>?
    /// The words in `<…>`, and the number of words before it.
    private var bracket: (words: [AddressWord], place: Int)?

    private static let commasInName = 8

    private var bytes: ArraySlice<UInt8> { scanner.bytes }

    init(_ bytes: ArraySlice<UInt8>, limits: MIMELimits) {
        self.limits = limits
        scanner = AddressWordScanner(bytes)
    }

    mutating func read() -> [EmailAddress] {
        while let token = scanner.next() {
            switch token {
            case .word(let word): words.append(word)
            case .comment(let text): comment = text
            case .bracket(let inside): take(bracket: inside)
            case .comma: endEntry()
            case .semicolon: endAddress()
            case .colon: beginGroup()
            }
        }
        endAddress()
        return found
    }

    // MARK: Events

    /// If two pairs of brackets both contain an address, a comma between them is missing, and both count.
    private mutating func take(bracket inside: [AddressWord]) {
        if let first = bracket, inside.contains(where: \.hasAt) {
            if first.words.contains(where: \.hasAt) {
                let behind = Array(words[first.place...])
                words.removeSubrange(first.place...)
                endAddress()
                words = behind
            } else {
                words.insert(contentsOf: first.words, at: first.place)
            }
            bracket = nil
        }
        if bracket == nil { bracket = (inside, words.count) }
    }

    private mutating func endEntry() {
        let isOpen = bracket == nil && !segment.contains(where: \.hasAt) && !segment.isEmpty
        if isOpen, commas.count < Self.commasInName {
            commas.append(words.count)
        } else {
            endAddress()
        }
    }

    private mutating func beginGroup() {
        guard bracket == nil, !segment.contains(where: \.hasAt) else { return }
        release()
        reset()
    }

    private mutating func endAddress() {
        if let bracket {
            add(bracket: bracket.words)
        } else if segment.contains(where: \.hasAt) {
            addBare()
        } else {
            release()
            addNameOnly(segment, comment: comment)
        }
        reset()
    }

    private mutating func reset() {
        words.removeAll(keepingCapacity: true)
        commas.removeAll(keepingCapacity: true)
        comment = nil
        bracket = nil
    }

    /// The words after the last comma.
    private var segment: ArraySlice<AddressWord> { words[(commas.last ?? 0)...] }

    /// Words before a comma that are not part of a name are names without an address: `root, ana@x.org`.
    private mutating func release() {
        var start = 0
        for comma in commas {
            addNameOnly(words[start..<comma], comment: nil)
            start = comma
        }
        words.removeSubrange(..<start)
        commas.removeAll(keepingCapacity: true)
    }

    // MARK: Addresses

    private mutating func add(bracket inside: [AddressWord]) {
        guard !inside.isEmpty || !words.isEmpty else { return }
        if inside.isEmpty, segment.contains(where: \.hasAt) { return addBare() }
        guard let spec = AddressSpec(last: inside[...], in: bytes) else {
            let local = AddressSpec.withoutDomain(inside, in: bytes)
            let address = EmailAddress(displayName: name(of: words[...]), localPart: local, domain: "")
            if !address.displayName.isEmpty || !local.isEmpty { found.append(address) }
            return
        }
        // `<John Doe john@x.org>`: the other words are the name if there is no other; hosts of a route are not.
        let others = inside.indices.filter { !spec.words.contains($0) && !inside[$0].hasAt }.map {
            inside[$0]
        }
        // `Name <a b@x.org>` is ambiguous: an answer must not go to `b@x.org`.
        let label = words.isEmpty ? "" : name(of: words[...])
        guard label.isEmpty || others.isEmpty else {
            found.append(EmailAddress(displayName: label, localPart: "", domain: ""))
            return
        }
        append(spec.address(name: label.isEmpty ? name(of: others[...]) : label))
    }

    /// Adds addresses without brackets. Words before an address are its name, and so are words after the last one if it
    /// has no name.
    private mutating func addBare() {
        let start = segment.startIndex
        if AddressSpec(first: segment, in: bytes)?.words.lowerBound == start { release() }
        var rest = words[...]
        while let spec = AddressSpec(first: rest, in: bytes) {
            var named = rest[..<spec.words.lowerBound]
            rest = rest[spec.words.upperBound...]
            if named.isEmpty, !rest.contains(where: \.hasAt) {
                named = rest
                rest = []
            }
            append(spec.address(name: name(of: named)))
        }
    }

    /// Adds words without an address: `MAILER-DAEMON`, a bare name, or an address in quotes.
    private mutating func addNameOnly(_ words: ArraySlice<AddressWord>, comment: ArraySlice<UInt8>?) {
        guard let first = words.first else { return }
        let text = bytes[first.range]
        if words.count == 1 {
            if first.isQuoted, let spec = AddressSpec(quoted: text) {
                append(spec.address(name: comment.map { decoded($0) } ?? ""))
                return
            }
            if AddressSpec.isDotAtom(text), !HeaderText.mayHoldWords(text) {
                let name = comment.map { decoded($0) } ?? ""
                found.append(EmailAddress(displayName: name, localPart: text.text, domain: ""))
                return
            }
        }
        let name = name(of: words)
        if !name.isEmpty { found.append(EmailAddress(displayName: name, localPart: "", domain: "")) }
    }

    private mutating func append(_ address: EmailAddress?) {
        if let address { found.append(address) }
    }

    // MARK: Names

    /// The words without their quotes, decoded; if there are none, the comment.
    private func name(of words: ArraySlice<AddressWord>) -> String {
        guard let first = words.first, let last = words.last else { return comment.map { decoded($0) } ?? "" }
        if words.count == 1, !first.hasQuote { return decoded(bytes[first.range]) }
        var name: [UInt8] = []
        name.reserveCapacity(last.range.upperBound - first.range.lowerBound)
        for index in words.indices {
            if !name.isEmpty {
                if commas.contains(index) { name.append(ASCII.comma) }
                name.append(ASCII.space)
            }
            words[index].appendUnquoted(to: &name, from: bytes)
        }
        return decoded(name[...])
    }

    private func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        EncodedWord.decode(bytes, limit: limits.encodedWords)
    }
}
