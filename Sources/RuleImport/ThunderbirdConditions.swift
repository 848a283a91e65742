/// A `condition` of a Thunderbird filter: `AND (subject,contains,invoice) AND (from,is,ana@x.org)`, or `ALL`.
struct ThunderbirdConditions {
    static let maximumTerms = 500

    private let letters: [Character]
    private var index = 0
    private(set) var unknown: [(piece: String, reason: String)] = []
    private(set) var changed: [(piece: String, reason: String)] = []

    init(_ text: String) { letters = Array(text) }

    /// `fault`: makes an error from a message.
    mutating func read(_ fault: (String) -> ImportError) throws(ImportError) -> DraftCondition {
        skipBlanks()
        if String(letters[index...]).trimmingBlanks() == "ALL" { return .always }
        var alls: [DraftCondition] = []
        var anys: [DraftCondition] = []
        while index < letters.count {
            guard alls.count + anys.count < Self.maximumTerms else {
                throw fault("more than \(Self.maximumTerms) conditions")
            }
            let isAnd = take("AND")
            guard isAnd || take("OR") else {
                throw fault(
                    "AND (…) or OR (…) was expected at '\(SourceText.oneLine(String(letters[index...].prefix(20))))'"
                )
            }
            skipBlanks()
            let start = index
            let parts = try term(fault)
            let condition = condition(parts[0], parts[1], parts[2], String(letters[start..<index]))
            if isAnd { alls.append(condition) } else { anys.append(condition) }
            skipBlanks()
        }
        guard !alls.isEmpty || !anys.isEmpty else { throw fault("a condition is missing") }
        return .all(alls + (anys.isEmpty ? [] : [.any(anys)]))
    }

    private mutating func skipBlanks() {
        while index < letters.count, letters[index].isWhitespace { index += 1 }
    }

    private mutating func take(_ word: String) -> Bool {
        guard letters[index...].starts(with: word) else { return false }
        index += word.count
        return true
    }

    /// `(attribute,operator,value)`: the value ends with the bracket, unless it is in quotes.
    private mutating func term(_ fault: (String) -> ImportError) throws(ImportError) -> [String] {
        let start = index
        func broken() -> ImportError {
            fault(
                "'\(SourceText.oneLine(String(letters[start...].prefix(40))))' is not (attribute,operator,value)"
            )
        }
        guard index < letters.count, letters[index] == "(" else { throw broken() }
        index += 1
        var parts: [String] = []
        while parts.count < 3 {
            let end: Character = parts.count < 2 ? "," : ")"
            var text = ""
            if index < letters.count, letters[index] == "\"" {
                index += 1
                while index < letters.count, letters[index] != "\"" {
                    if letters[index] == "\\", index + 1 < letters.count { index += 1 }
                    text.append(letters[index])
                    index += 1
                }
                index += 1
            } else {
                while index < letters.count, letters[index] != end {
                    text.append(letters[index])
                    index += 1
                }
            }
            guard index < letters.count, letters[index] == end else { throw broken() }
            index += 1
            parts.append(text)
        }
        return parts
    }

    // MARK: Terms

    private mutating func condition(
        _ attribute: String, _ relation: String, _ value: String, _ piece: String
    ) -> DraftCondition {
        guard let condition = Self.condition(attribute, relation, value), !condition.hasUnknown else {
            unknown.append((piece, Self.reasons[attribute] ?? "opus has no such condition"))
            return .unknown
        }
        return condition
    }

    private static let reasons = [
        "junk status": "opus has no junk status; 'in: junk' tests the mailbox",
        "junk percent": "opus has no junk score",
        "priority": "opus has no priority; a rule can test its header field",
        "junk score origin": "opus has no junk score",
    ]

    private static func condition(_ attribute: String, _ relation: String, _ value: String) -> DraftCondition?
    {
        switch attribute.lowercased() {
        case "subject": text(["subject"], relation, value)
        case "from": text(["from"], relation, value)
        case "to": text(["to"], relation, value)
        case "cc": text(["cc"], relation, value)
        case "bcc": text(["bcc"], relation, value)
        case "to or cc": text(["to", "cc"], relation, value)
        case "all addresses", "from, to, cc or bcc": text(["from", "recipient"], relation, value)
        case "body": text(["body"], relation, value)
        case "size": number("size", relation, value, unit: "K")
        case "age in days": number("age", relation, value, unit: "d")
        case "date": date(relation, value)
        case "status": status(relation, value)
        case "tag": tag(relation, value)
        case "has attachment status":
            sign(relation).map {
                $0 == (value == "true") ? .plain("has", "attachment") : .not(.plain("has", "attachment"))
            }
        case "priority", "junk status", "junk percent", "junk score origin": nil
        case _: isField(attribute) ? text(["header:" + attribute], relation, value) : nil
        }
    }

    private static func isField(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 100
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D
                    || byte == 0x5F
            }
    }

    private static func text(_ keys: [String], _ relation: String, _ value: String) -> DraftCondition? {
        func any(_ make: (String) -> DraftCondition) -> DraftCondition { .any(keys.map(make)) }
        // Only a name can be empty, and a sender without one has an address.
        if value.allSatisfy(\.isWhitespace), ["is", "isn't"].contains(relation.lowercased()),
            keys.contains(where: { $0 == "recipient" || SieveAddresses.read.contains($0) })
        {
            return nil
        }
        switch relation.lowercased() {
        case "contains": return any { .contains($0, value) }
        case "doesn't contain": return .not(any { .contains($0, value) })
        case "is": return any { .equals($0, value) }
        case "isn't": return .not(any { .equals($0, value) })
        case "begins with": return any { .wildcard($0, escaped(value) + "*") }
        case "ends with": return any { .wildcard($0, "*" + escaped(value)) }
        case "is empty": return .not(any { .present($0) })
        case "isn't empty": return any { .present($0) }
        case _: return nil
        }
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, letter in
            if "*?\\".contains(letter) { result.append("\\") }
            result.append(letter)
        }
    }

    private static func number(_ key: String, _ relation: String, _ value: String, unit: String)
        -> DraftCondition?
    {
        guard let number = Int(value), number >= 0, number < 1_000_000 else { return nil }
        switch relation.lowercased() {
        case "is greater than": return .plain(key, ">\(number)\(unit)")
        case "is less than": return .plain(key, "<\(number)\(unit)")
        case "is" where key == "age":
            return .all([.plain(key, ">=\(number)d"), .plain(key, "<\(number + 1)d")])
        case _: return nil
        }
    }

    /// `18-Apr-2026`
    private static func date(_ relation: String, _ value: String) -> DraftCondition? {
        let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        let parts = value.split(separator: "-").map { String($0).lowercased() }
        guard parts.count == 3, let day = Int(parts[0]), let month = months.firstIndex(of: parts[1]),
            let year = Int(parts[2]), (1...31).contains(day), (1_970...9_999).contains(year)
        else { return nil }
        let date = "\(year)-\(month < 9 ? "0" : "")\(month + 1)-\(day < 10 ? "0" : "")\(day)"
        switch relation.lowercased() {
        case "is": return .plain("date", date)
        case "isn't": return .not(.plain("date", date))
        case "is before": return .plain("date", "<" + date)
        case "is after": return .plain("date", ">" + date)
        case _: return nil
        }
    }

    /// true for "is", false for "isn't".
    private static func sign(_ relation: String) -> Bool? {
        ["is": true, "isn't": false][relation.lowercased()]
    }

    private static func status(_ relation: String, _ value: String) -> DraftCondition? {
        let words = [
            "read": "read", "replied": "answered", "flagged": "flagged", "new": "unread", "unread": "unread",
        ]
        guard let isWanted = sign(relation), let word = words[value.lowercased()] else { return nil }
        return isWanted ? .plain("is", word) : .not(.plain("is", word))
    }

    private static func tag(_ relation: String, _ value: String) -> DraftCondition? {
        let any = DraftCondition.plain("label", "*")
        switch relation.lowercased() {
        case "is empty": return .not(any)
        case "isn't empty": return any
        case "contains", "is": return value.contains("*") ? nil : .plain("label", value)
        case "doesn't contain", "isn't": return value.contains("*") ? nil : .not(.plain("label", value))
        case _: return nil
        }
    }
}

extension String {
    /// Without white space at both ends.
    func trimmingBlanks() -> String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
