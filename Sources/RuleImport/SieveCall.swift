/// The arguments of a test by their meaning: how it compares, which part, which texts and numbers.
struct SieveCall {
    enum Match: Hashable {
        case `is`
        case contains
        case matches
        case regex
        /// RFC 5231: compares by order.
        case value
        /// RFC 5231: compares the number of values.
        case count
    }

    enum Comparator {
        case caseless
        /// `i;octet`: distinguishes upper and lower case.
        case exact
        case numeric
    }

    /// A part of an address. RFC 5228 §2.7.4, RFC 5233.
    enum Part {
        case all
        case localPart
        case domain
        case user
        case detail
    }

    /// A time zone. RFC 5260 §4.1.
    enum Zone: Hashable {
        /// `+0100`.
        case offset(String)
        /// The zone in the field.
        case original
    }

    var match = Match.is
    var comparator = Comparator.caseless
    var part = Part.all
    /// `gt`, `ge`, `lt`, `le`, `eq`, `ne`.
    var relation: String?
    /// `over` or `under`.
    var size: String?
    /// `raw`, `content` or `text`.
    var body: String?
    /// nil: the server's zone.
    var zone: Zone?
    /// RFC 5260 §6: the occurrence of the field to test, negative from the last one; nil: all.
    var place: Int?
    var strings: [[String]] = []
    var numbers: [Int] = []

    /// `fault`: why these arguments cannot be translated.
    init(_ arguments: [SieveArgument], constants: [String: String], fault: inout String?) {
        var rest = arguments[...]
        var isFromLast = false
        while let argument = rest.popFirst() {
            switch argument {
            case .number(let number): numbers.append(number)
            case .strings(let texts):
                let expanded = texts.map { SieveVariables.expand($0, constants) }
                if expanded.contains(nil) { fault = "its text depends on a variable that the script changes" }
                strings.append(expanded.compactMap { $0 })
            case .tag("last"): isFromLast = true
            case .tag(let name):
                if !take(name, &rest) { fault = "':\(name)' is not translated" }
            }
        }
        if isFromLast {
            if place == nil { fault = "':last' needs ':index'" }
            place = place.map { -$0 }
        }
    }

    private mutating func take(_ name: String, _ rest: inout ArraySlice<SieveArgument>) -> Bool {
        switch name {
        case "is": match = .is
        case "contains": match = .contains
        case "matches": match = .matches
        case "regex": match = .regex
        case "value", "count":
            match = name == "value" ? .value : .count
            relation = Self.string(&rest)?.lowercased()
            return ["gt", "ge", "lt", "le", "eq", "ne"].contains(relation)
        case "comparator": return take(comparator: Self.string(&rest))
        case "all": part = .all
        case "localpart": part = .localPart
        case "domain": part = .domain
        case "user": part = .user
        case "detail": part = .detail
        case "over", "under": size = name
        case "raw", "content", "text": body = name
        case "zone":
            guard let offset = Self.string(&rest), Self.isOffset(offset) else { return false }
            zone = .offset(offset)
        case "originalzone": zone = .original
        case "index":
            guard case .number(let number)? = rest.popFirst(), (1..<1_000).contains(number) else {
                return false
            }
            place = number
        case _: return false
        }
        return true
    }

    private mutating func take(comparator name: String?) -> Bool {
        switch name {
        case "i;ascii-casemap", "i;unicode-casemap", "en;ascii-casemap": comparator = .caseless
        case "i;octet": comparator = .exact
        case "i;ascii-numeric": comparator = .numeric
        case _: return false
        }
        return true
    }

    private static func isOffset(_ text: String) -> Bool {
        text.utf8.count == 5 && (text.hasPrefix("+") || text.hasPrefix("-"))
            && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func string(_ rest: inout ArraySlice<SieveArgument>) -> String? {
        guard case .strings(let texts)? = rest.first, texts.count == 1 else { return nil }
        rest.removeFirst()
        return texts[0]
    }

    // MARK: Comparing

    /// A text of one key; nil when no condition compares in this way.
    func text(_ key: String, _ value: String, capturing: Bool = false) -> DraftCondition? {
        let flags = comparator == .exact ? "" : "(?i)"
        switch (match, comparator) {
        case (.value, .numeric), (.is, .numeric): return number(key, value)
        case (.contains, .numeric), (.matches, .numeric), (.regex, .numeric): return nil
        case (.value, _):
            return relation == "eq" ? equals(key, value) : relation == "ne" ? .not(equals(key, value)) : nil
        case (.count, _): return nil
        case (.is, _): return equals(key, value)
        case (.contains, _) where value.isEmpty: return .present(key)
        case (.contains, .exact): return .pattern(key, DraftCondition.quoted(value), sample: value)
        case (.contains, _): return .contains(key, value)
        case (.regex, _): return .pattern(key, flags + (capturing ? Self.naming(value) : value))
        case (.matches, _) where capturing:
            let pattern = "(?s)" + flags + "\\A" + DraftCondition.wildcardPattern(value, named: true) + "\\z"
            return .pattern(key, pattern, sample: DraftCondition.wildcardSample(value))
        case (.matches, .exact): return .wildcard(key, value, isExactCase: true)
        case (.matches, _):
            return value.allSatisfy { $0 == "*" } && !value.isEmpty ? .present(key) : .wildcard(key, value)
        }
    }

    private func equals(_ key: String, _ value: String) -> DraftCondition {
        comparator == .exact
            ? .pattern(key, "\\A" + DraftCondition.quoted(value) + "\\z", sample: value) : .equals(key, value)
    }

    /// `(` becomes `(?P<m1>`, for templates.
    private static func naming(_ pattern: String) -> String {
        var (result, count, isEscaped, isClass) = ("", 0, false, false)
        let letters = Array(pattern)
        for (index, letter) in letters.enumerated() {
            result.append(letter)
            if isEscaped {
                isEscaped = false
                continue
            }
            switch letter {
            case "\\": isEscaped = true
            case "[": isClass = true
            case "]": isClass = false
            case "(" where !isClass && (index + 1 == letters.count || letters[index + 1] != "?"):
                count += 1
                if count <= 9 { result += "?P<m\(count)>" }
            case _: continue
            }
        }
        return result
    }

    // MARK: Numbers and dates

    /// The text before a date.
    var sign: String? {
        switch match {
        case .is: ""
        case .value: ["gt": ">", "ge": ">=", "lt": "<", "le": "<=", "eq": "="][relation]
        case .contains, .matches, .regex, .count: nil
        }
    }

    /// RFC 4790 §9.1: the digits at the beginning count. A pattern can do that.
    private func number(_ key: String, _ value: String) -> DraftCondition? {
        let digits = String(value.drop { $0 == "0" })
        guard value.utf8.count <= 9, !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        let equal = digits.isEmpty ? "0+" : "0*\(digits)"
        let any = DraftCondition.pattern(key, "\\A\\s*[0-9]", sample: "0")
        func isGreater(orEqual: Bool) -> DraftCondition {
            let choices = Self.greater(digits) + (orEqual ? [equal] : [])
            return .pattern(
                key, "\\A\\s*(?:\(choices.joined(separator: "|")))(?:[^0-9]|\\z)", sample: "9" + digits)
        }
        switch match == .is ? "eq" : relation {
        case "eq": return .pattern(key, "\\A\\s*\(equal)(?:[^0-9]|\\z)", sample: value)
        case "ne": return .all([any, .not(.pattern(key, "\\A\\s*\(equal)(?:[^0-9]|\\z)"))])
        case "gt": return isGreater(orEqual: false)
        case "ge": return isGreater(orEqual: true)
        case "lt": return .all([any, .not(isGreater(orEqual: true))])
        case "le": return .all([any, .not(isGreater(orEqual: false))])
        case _: return nil
        }
    }

    /// Patterns of the numbers above one: those with more digits, and those that first differ in a higher digit.
    private static func greater(_ digits: String) -> [String] {
        var patterns = ["0*[1-9][0-9]{\(digits.count),}"]
        for (index, digit) in digits.enumerated() {
            guard let value = digit.wholeNumberValue, value < 9 else { continue }
            let rest = digits.count - index - 1
            patterns.append("0*\(digits.prefix(index))[\(value + 1)-9]" + (rest > 0 ? "[0-9]{\(rest)}" : ""))
        }
        return patterns
    }
}

extension Dictionary where Key == String, Value == String {
    subscript(key: String?) -> String? { key.flatMap { self[$0] } }
}

/// The variables of RFC 5229, as far as they are constant.
enum SieveVariables {
    /// The text with its variables replaced; nil when one of them is not known.
    ///
    /// `captures`: how many `${1}`, `${2}` may become templates.
    static func expand(_ text: String, _ constants: [String: String], captures: Int = 0) -> String? {
        guard text.contains("${") else { return text }
        var result = ""
        var rest = text[...]
        while let open = rest.firstRange(of: "${") {
            result += rest[..<open.lowerBound]
            let tail = rest[open.upperBound...]
            guard let close = tail.firstIndex(of: "}") else { break }
            let name = String(tail[..<close]).lowercased()
            if let number = Int(name) {
                guard number >= 1, number <= captures else { return nil }
                result += "{{m\(number)}}"
            } else if !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) {
                guard let value = constants[name] else { return nil }
                result += value
            } else {
                result += "${\(name)}"
            }
            guard result.utf8.count <= 10_000 else { return nil }
            rest = tail[tail.index(after: close)...]
        }
        return result + rest
    }
}
