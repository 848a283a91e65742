/// The condition for one term of Gmail's search language.
enum GmailTerm {
    /// Names that Gmail reads as operators, with a value or without one.
    static let operators: Set = [
        "from", "to", "cc", "bcc", "subject", "list", "deliveredto", "rfc822msgid", "filename", "has",
        "is", "in", "label", "category", "size", "larger", "smaller", "older_than", "newer_than", "after",
        "newer", "before", "older",
    ]

    /// nil: opus has no such condition. Bare words have no `field`. `isNegated`: the filter excludes what the term matches.
    ///
    /// Gmail compares whole words and passes over punctuation. A wanted term is read as it is written, from the beginning of a
    /// word, so that no more matches than in Gmail. An excluded one matches inside words too, with any signs between its
    /// words, and each part of `ana,bob` for itself, so that at least as much is excluded.
    static func condition(_ field: String?, _ value: String, isNegated: Bool = false) -> DraftCondition? {
        let literal = condition(written: field, value, isNegated)
        guard isNegated, let literal, !value.contains("*"), let key = keys[field ?? ""] else {
            return literal
        }
        // An address means the same in both.
        if case .test(let test) = literal, test.form == .plain, value.contains("@") { return literal }
        let parts = value.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        guard parts.count > 1 || parts.first.map({ $0 != value }) == true else { return literal }
        let words = parts.map(DraftCondition.quoted).joined(separator: sign + "+")
        let anySigns = DraftCondition.pattern(
            key, "(?i)(?:^|\(sign))" + words, sample: parts.joined(separator: " "))
        let isList = !value.contains(where: \.isWhitespace) && value.contains { ",;/|&+".contains($0) }
        let single = isList ? parts.compactMap { condition(written: field, $0, true) } : []
        return .some([literal, anySigns] + single)
    }

    /// The keys of conditions on text, by Gmail's operators.
    private static let keys = [
        "": "text", "subject": "subject", "from": "from", "to": "recipient", "cc": "cc", "bcc": "bcc",
        "list": "list-id",
        "filename": "attachment:name",
    ]

    /// What is not a letter or a number: between words.
    private static let sign = #"[^\pL\pN]"#

    private static func condition(written field: String?, _ value: String, _ isWide: Bool) -> DraftCondition?
    {
        switch field {
        case nil: words("text", trimmed(value[...]), isWide)
        case "from": address("from", value, isWide)
        // Gmail's `to:` includes Cc and Bcc.
        case "to": address("recipient", value, isWide)
        case "cc": address("cc", value, isWide)
        case "bcc": address("bcc", value, isWide)
        case "subject": words("subject", trimmed(value[...]), isWide)
        case "list": wholeWords("list-id", value.replacing("@", with: "."), isWide)
        case "deliveredto": wholeWords("header:Delivered-To", value, isWide)
        case "rfc822msgid": wholeWords("header:Message-ID", value, isWide)
        case "filename": file(value, isWide)
        case "has": value.lowercased() == "attachment" ? .plain("has", "attachment") : nil
        case "is": state(value.lowercased())
        case "in": place(value)
        case "label": .plain("label", keyword(value))
        case "size", "larger": size(value).map { .plain("size", ">" + $0) }
        case "smaller": size(value).map { .plain("size", "<" + $0) }
        case "older_than": days(value).map { .plain("age", ">\($0)d") }
        case "newer_than": days(value).map { .plain("age", "<\($0)d") }
        case "after", "newer": day(value).map { .plain("date", ">=" + $0) }
        case "before", "older": day(value).map { .plain("date", "<" + $0) }
        case .some: nil
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let rest = text.drop { endSigns.contains($0) }
        guard let last = rest.lastIndex(where: { !endSigns.contains($0) }) else { return "" }
        return String(rest[...last])
    }

    private static let endSigns = Set<Character>(" ,;.:!?\"'()[]{}<>“”„‘’«»…")

    /// Words as opus's conditions search for them: from the beginning of a word.
    private static func words(_ key: String, _ value: String, _ isWide: Bool) -> DraftCondition {
        let all = value.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let isPlain = all.first.map { !marks.contains($0) } ?? false && !all.contains("*")
        if isPlain { return .plain(key, all) }
        if isWide { return .contains(key, all.filter { $0 != "*" }) }
        return .plain(
            key, all.drop { marks.contains($0) }.split { $0 == "*" || $0 == " " }.joined(separator: " "))
    }

    /// Signs that mean something at the beginning of a condition's value.
    private static let marks = Set<Character>("=/\"*<> ")

    /// The words of a field that opus does not search by words.
    private static func wholeWords(_ key: String, _ value: String, _ isWide: Bool) -> DraftCondition {
        if isWide { return .contains(key, value) }
        let words = unbracketed(value).filter { $0 != "*" }
        guard words.contains(where: { $0.isLetter || $0.isNumber }) else { return .unknown }
        return .pattern(
            key, "(?i)(?:^|\(sign))" + DraftCondition.quoted(words) + "(?:$|\(sign))", sample: words)
    }

    private static func address(_ key: String, _ value: String, _ isWide: Bool) -> DraftCondition {
        if value.lowercased() == "me" { return .plain(key, "me") }
        // A word that opus uses for another thing.
        if value.lowercased() == "known" { return wholeWords(key, value, isWide) }
        let bare = unbracketed(value)
        let text = bare.hasPrefix("*@") ? String(bare.dropFirst()) : bare
        if text.contains("*") {
            if isWide { return .wildcard(key, "*" + text + "*") }
            // Gmail knows no parts of words.
            let whole = text.filter { $0 != "*" }
            let isWord = ["me", "known"].contains(whole.lowercased())
            return isWord ? wholeWords(key, whole, false) : address(key, whole, false)
        }
        let isOneWord = !text.contains(where: { $0.isWhitespace || "<>,;\"(){}".contains($0) })
        if isOneWord, let at = text.firstIndex(of: "@") {
            let domain = text[text.index(after: at)...]
            let isDomain = isHost(domain)
            if isDomain { return .plain(key, text) }
            return isWide ? .contains(key, text) : half(key, text[..<at], domain)
        }
        // A domain, or a name such as `anna.smith`, before the @ or in words.
        if isOneWord, isHost(text[...]) {
            let name = words(key, text.replacing(".", with: " "), isWide)
            return .any([.plain(key, "@" + text), .wildcard(key, text + "@*"), name])
        }
        return words(key, text, isWide)
    }

    /// A part of an address: `ana@`, `@acme` or `ana@acme`.
    private static func half(_ key: String, _ local: Substring, _ domain: Substring) -> DraftCondition {
        guard !domain.contains("@"), !domain.contains("?"), !local.contains("?") else { return .unknown }
        let start = (local.isEmpty ? "*" : String(local)) + "@"
        if domain.isEmpty { return local.isEmpty ? .unknown : .wildcard(key, start + "*") }
        return .any([.wildcard(key, start + domain), .wildcard(key, start + domain + ".*")])
    }

    /// `<ana@x.org>`, as it is copied out of a mail, and `ana@x.org,`: Gmail passes over these signs.
    private static func unbracketed(_ value: String) -> String {
        guard value.contains("@") else { return value }
        let signs: Set<Character> = ["<", ">", ",", ";"]
        return String(value.drop { signs.contains($0) }.reversed().drop { signs.contains($0) }.reversed())
    }

    /// `acme.example`: letters, digits and dashes between dots.
    private static func isHost(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy { byte in
                        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D
                    }
            }
    }

    private static func file(_ value: String, _ isWide: Bool) -> DraftCondition {
        let isEnding = value.count <= 5 && value.allSatisfy { $0.isLetter || $0.isNumber }
        if isEnding { return .wildcard("attachment:name", "*." + value) }
        return isWide
            ? .contains("attachment:name", value) : words("attachment:name", trimmed(value[...]), false)
    }

    private static func state(_ value: String) -> DraftCondition? {
        switch value {
        case "unread", "read": .plain("is", value)
        case "starred": .plain("is", "flagged")
        case _: nil
        }
    }

    private static func place(_ value: String) -> DraftCondition? {
        switch value.lowercased() {
        case "anywhere": .always
        case "inbox", "sent", "trash", "drafts": .plain("in", value.lowercased())
        case "draft": .plain("in", "drafts")
        case "spam": .plain("in", "junk")
        case _: nil
        }
    }

    /// `10M`, `500K`, `1000000`.
    private static func size(_ value: String) -> String? {
        let text = value.uppercased()
        let digits = text.prefix(while: \.isNumber)
        let unit = String(text.dropFirst(digits.count))
        guard !digits.isEmpty, digits.count <= 12, digits.allSatisfy(\.isASCII),
            ["", "K", "M", "G", "KB", "MB", "GB"].contains(unit)
        else { return nil }
        return String(digits) + unit.prefix(1)
    }

    /// `3d`, `2m`, `1y`; a month has 30 days here.
    private static func days(_ value: String) -> Int? {
        guard let number = Int(value.dropLast()), (1...10_000).contains(number) else { return nil }
        return switch value.last {
        case "d": number
        case "m": number * 30
        case "y": number * 365
        case _: nil
        }
    }

    /// `2004/04/16`, `2004-4-16`.
    private static func day(_ value: String) -> String? {
        let parts = value.split { $0 == "/" || $0 == "-" }.map { Int($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
            (1_970...9_999).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month))-\(two(day))"
    }

    /// A label as a keyword: what a keyword cannot hold becomes a dash.
    static func keyword(_ label: String) -> String {
        let letters = label.unicodeScalars.map { scalar -> Character in
            let isFine =
                scalar.value > 0x20 && scalar.value < 0x7F && !"(){%*\"\\]'".unicodeScalars.contains(scalar)
            return isFine ? Character(scalar) : "-"
        }
        let text = String(String(letters).prefix(100))
        return text.contains(where: { $0 != "-" }) ? text : "label"
    }
}
