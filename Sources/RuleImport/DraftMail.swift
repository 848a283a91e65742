import Models

/// A sample mail for the test of an imported rule. The rule's condition should match it.
///
/// It is a guess; running the test shows whether the rule matches.
struct DraftMail: Hashable {
    var addresses: [String: [String]] = [:]
    var subject: [String] = []
    var text: [String] = []
    /// Names and values; each name occurs once.
    var headers: [(name: String, value: String)] = []
    var attachments: [(name: String, type: String, size: Int)] = []
    var flags: Set<String> = []
    var keywords: [String] = []
    var size: Int?
    var date: String?
    var clock: String?
    /// Month and day of the date, if the script tests only these.
    var (month, day): (Int?, Int?)
    var mailbox: String?
    var isDuplicate = false

    static func == (a: Self, b: Self) -> Bool { a.lines == b.lines }
    func hash(into hasher: inout Hasher) { hasher.combine(lines) }

    /// Changes the mail so that the condition matches; false: it cannot.
    mutating func satisfy(_ condition: DraftCondition) -> Bool {
        switch condition {
        case .always, .not: return true
        case .never, .unknown: return false
        case .all(let children): return children.allSatisfy { satisfy($0) }
        case .test(let test): return satisfy(test)
        case .any(let children):
            for child in children {
                var copy = self
                if copy.satisfy(child) {
                    self = copy
                    return true
                }
            }
            return false
        }
    }

    private mutating func satisfy(_ test: DraftTest) -> Bool {
        guard let value = value(test) else { return false }
        switch test.key {
        case "from", "to", "cc", "bcc", "reply-to", "sender":
            addresses[test.key, default: []].append(Self.address(value))
        case "recipient": addresses["to", default: []].append(Self.address(value))
        case "subject", "text": subject.append(value)
        case "body": text.append(value)
        case "keyword", "label": keywords.append(value)
        case "in": mailbox = value
        case "is", "has": return satisfy(state: value)
        case "attachment:name": attachments.append((value, "application/octet-stream", 1_000))
        case "attachment:type": attachments.append(("file", value, 1_000))
        case "size": return satisfy(size: value)
        case "month": month = Self.number(value, in: 1...12)
        case "day": day = Self.number(value, in: 1...28)
        case "weekday": date = Self.days[String(value.prefix(3))]
        case "time": clock = value.hasPrefix("<") ? "00:00" : Self.beginning(value)
        case "age", "date", "sent", "received", "older", "newer": return satisfy(time: test.key, value)
        case "list-id", "list": add("List-Id", value)
        case let key where key.hasPrefix("header:"): add(String(key.dropFirst("header:".count)), value)
        case _: return false
        }
        return true
    }

    private func value(_ test: DraftTest) -> String? {
        switch test.form {
        case .contains, .equals: test.value
        case .plain where test.value == "*": "something"
        case .plain: test.value
        case .glob:
            test.value.replacing("*", with: test.value.contains("@*") ? "x.example" : "").replacing(
                "?", with: "x")
        case .matches: test.sample ?? Self.sample(test.value)
        }
    }

    /// A text that a simple pattern matches, made from its literal parts.
    private static func sample(_ pattern: String) -> String {
        var text = pattern
        for flags in ["(?i)", "(?s)", "(?is)"] { text = text.replacing(flags, with: "") }
        for (part, stands) in [
            (".*", "x"), (".+", "x"), ("\\d+", "1"), ("[0-9]+", "1"), ("\\s+", " "), ("\\w+", "x"),
            ("[a-z]+", "x"),
            ("\\d", "1"), ("^", ""), ("$", ""),
        ] { text = text.replacing(part, with: stands) }
        if let open = text.firstIndex(of: "("), let close = text.firstIndex(of: ")"), open < close {
            let choices = text[text.index(after: open)..<close].split(separator: "|")
            text.replaceSubrange(open...close, with: choices.first ?? "")
        } else if let first = text.split(separator: "|").first {
            text = String(first)
        }
        return text.replacing("\\", with: "")
    }

    private static func address(_ value: String) -> String {
        let value = value.filter { !"<>\"".contains($0) }
        guard let at = value.firstIndex(of: "@"), !value.contains(" ") else {
            return "\(value.contains(",") ? "\"\(value)\"" : value) <someone@example.net>"
        }
        let local = value[..<at]
        let domain = value[value.index(after: at)...].prefix { $0 != "@" && $0 != "," }
        return (local.isEmpty ? "someone" : local) + "@" + (domain.isEmpty ? "example.net" : domain)
    }

    /// A number that a comparison takes: `3`, `>=3`, `<8`.
    private static func number(_ value: String, in range: ClosedRange<Int>) -> Int? {
        guard let number = Int(value.drop { "<>=".contains($0) }) else { return nil }
        let taken = value.hasPrefix("<") && !value.hasPrefix("<=") ? number - 1 : number
        return range.contains(taken) || taken <= 31 && range.upperBound > 12 ? taken : nil
    }

    /// The fields of a name: `Received#2` is the second one, and there is another one above it.
    private static func places(_ name: String) -> (name: String, above: Int, below: Int) {
        let parts = name.split(separator: "#")
        guard parts.count == 2, let place = Int(parts[1]), (1...9).contains(abs(place)) else {
            return (name, 0, 0)
        }
        return (String(parts[0]), max(0, place - 1), max(0, -place - 1))
    }

    private mutating func add(_ spelling: String, _ value: String) {
        let (name, above, below) = Self.places(spelling)
        guard name == spelling else {
            headers += Array(repeating: (name, "-"), count: above) + [(name, value)]
            headers += Array(repeating: (name, "-"), count: below)
            return
        }
        if let index = headers.firstIndex(where: { $0.name.lowercased() == name.lowercased() }) {
            headers[index].value += " " + value
        } else {
            headers.append((name, value))
        }
    }

    private mutating func satisfy(state: String) -> Bool {
        switch state {
        case "unread": flags.remove("read")
        case "read", "flagged", "answered", "draft": flags.insert(state)
        case "attachment": attachments.append(("file.bin", "application/octet-stream", 1_000))
        case "pdf": attachments.append(("file.pdf", "application/pdf", 1_000))
        case "invite": attachments.append(("invite.ics", "text/calendar", 1_000))
        case "bulk": add("Precedence", "bulk")
        case "duplicate": isDuplicate = true
        case _: return false
        }
        return true
    }

    /// `>100K`, `<2M`.
    private mutating func satisfy(size value: String) -> Bool {
        let factors: [Character: Int] = ["K": 1_024, "M": 1_048_576, "G": 1_073_741_824]
        guard let sign = value.first, "<>=".contains(sign), let last = value.last else { return false }
        let digits = value.drop { "<>=".contains($0) }.prefix(while: \.isNumber)
        guard let number = Int(digits), number < 1 << 30 else { return false }
        let bytes = number * (factors[last] ?? 1)
        size = value.hasPrefix(">") ? bytes + 1 : value.hasPrefix("<=") || sign == "=" ? bytes : bytes - 1
        return (size ?? -1) >= 0
    }

    // 9 March 2026 is a Monday.
    private static let days = [
        "mon": "2026-03-09", "tue": "2026-03-10", "wed": "2026-03-11", "thu": "2026-03-12",
        "fri": "2026-03-13",
        "sat": "2026-03-14", "sun": "2026-03-15",
    ]

    /// Of `>=08:00` or `08:00-18:00`.
    private static func beginning(_ hours: String) -> String {
        String(hours.drop { ">=".contains($0) }.prefix { $0 != "-" })
    }

    private mutating func satisfy(time key: String, _ value: String) -> Bool {
        if key == "age" || key == "older" || key == "newer" {
            guard let days = Int(value.drop { !$0.isNumber }.prefix(while: \.isNumber)), value.hasSuffix("d"),
                days < 36_500
            else { return false }
            let isOld = key == "older" || value.hasPrefix(">")
            date = isOld ? "\(days + 1) days ago" : days > 1 ? "\(days - 1) days ago" : nil
            return isOld || days > 0
        }
        let day = String(value.drop { "<>=".contains($0) })
        // The end of a span of hours: its beginning is a date of it.
        if value.hasPrefix("<"), day.contains(" "), date != nil { return true }
        if value.hasPrefix("<=") || value.hasPrefix(">=") || value.first?.isNumber ?? false {
            date = day
        } else {
            // Two days off, so that the time zone of the day does not matter.
            date = CalendarDate(day)?.adding(days: value.hasPrefix("<") ? -2 : 2).description
        }
        return date != nil
    }

    // MARK: As YAML

    /// The lines below `mail:`.
    var lines: [String] {
        var lines: [String] = []
        let froms = addresses["from"] ?? ["Someone <someone@example.net>"]
        for (key, values) in [("from", froms)]
            + addresses.filter({ $0.key != "from" }).sorted(by: { $0.key < $1.key })
        {
            lines.append("\(key): \(Self.list(values))")
        }
        lines.append(
            "subject: \(RuleWriter.quoted(subject.isEmpty ? "Hello" : subject.joined(separator: " ")))")
        if !text.isEmpty { lines.append("text: \(RuleWriter.quoted(text.joined(separator: " ")))") }
        if !headers.isEmpty {
            lines.append("headers:")
            var names: [String] = []
            for field in headers where !names.contains(field.name) { names.append(field.name) }
            lines += names.map { name in
                let values = headers.filter { $0.name == name }.map(\.value)
                return "  \(RuleWriter.quoted(name)): \(Self.list(values))"
            }
        }
        if !attachments.isEmpty {
            lines.append("attachments:")
            lines += attachments.map {
                "  - { name: \(RuleWriter.quoted($0.name)), type: \(RuleWriter.quoted($0.type)), size: \($0.size) }"
            }
        }
        if !flags.isEmpty { lines.append("flags: [\(flags.sorted().joined(separator: ", "))]") }
        if !keywords.isEmpty { lines.append("keywords: \(Self.list(keywords))") }
        if let size { lines.append("size: \(size)") }
        let date = date ?? dateOfParts
        if let time = clock.map({ "\(date ?? "2026-03-10") \($0)" }) ?? date {
            lines.append("date: \(RuleWriter.quoted(time))")
        }
        if let mailbox { lines.append("in: \(RuleWriter.quoted(mailbox))") }
        if isDuplicate { lines.append("duplicate: true") }
        return lines
    }

    private var dateOfParts: String? {
        guard month != nil || day != nil else { return nil }
        return CalendarDate(year: 2_026, month: month ?? 3, day: day ?? 10)?.description
    }

    static func list(_ values: [String]) -> String {
        let quoted = values.map(RuleWriter.quoted)
        return quoted.count == 1 ? quoted[0] : "[\(quoted.joined(separator: ", "))]"
    }
}
