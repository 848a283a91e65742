import Models

/// `amount`: the sums of money in a mail.
extension ConditionEntry {
    static let amount = ConditionEntry(
        "amount", "text", .amount(.money(in: nil)), "the largest sum of money in subject and text",
        "amount>=100EUR")
}

extension Amount {
    /// The largest sum in each currency counts, because the total of an invoice is larger than its parts.
    /// nil: of any currency.
    static func money(in currency: String?) -> Amount {
        Amount(
            unit: .money, needs: .text,
            values: { sight in
                guard let sums = sight.sums else { return nil }
                return sums.filter { currency == nil || $0.key == currency }.map(\.value)
            },
            seen: { sight in
                guard let sums = sight.sums else { return "the text was not fetched" }
                return sight.list(
                    sums.sorted { $0.key < $1.key }.map { Money.text($0.value, $0.key) }, none: "no amount")
            })
    }
}

/// Sums of money in the text of a mail.
enum Money {
    /// Currencies by sign or by word. ISO 4217.
    static let signs: [String: String] = [
        "€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₺": "TRY", "₩": "KRW",
        "zł": "PLN", "Kč": "CZK", "R$": "BRL", "US$": "USD", "A$": "AUD", "C$": "CAD", "Fr.": "CHF",
        "euro": "EUR", "euros": "EUR", "Euro": "EUR", "Euros": "EUR", "EURO": "EUR", "AU$": "AUD",
        "CA$": "CAD", "NZ$": "NZD", "HK$": "HKD",
        "S$": "SGD", "NT$": "TWD", "US-Dollar": "USD", "SFr.": "CHF", "円": "JPY", "CN¥": "CNY", "RMB": "CNY",
        "₴": "UAH", "₪": "ILS", "₫": "VND", "฿": "THB", "₱": "PHP", "Ft": "HUF",
    ]

    /// Common currency codes of ISO 4217.
    static let codes: Set<String> = [
        "AED", "ARS", "AUD", "BGN", "BRL", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "EGP", "EUR",
        "GBP", "HKD", "HUF", "IDR", "ILS", "INR", "ISK", "JPY", "KRW", "MXN", "MYR", "NOK", "NZD", "PEN",
        "PHP", "PLN", "RON", "RSD", "RUB", "SAR", "SEK", "SGD", "THB", "TRY", "TWD", "UAH", "USD", "VND",
        "ZAR",
    ]

    /// The maximum number of characters that are searched, and of sums that are read.
    private static let mostLetters = 200_000
    private static let mostSums = 1_000

    static func text(_ cents: Int, _ currency: String) -> String {
        let rest = cents % 100
        return "\(cents / 100).\(rest < 10 ? "0" : "")\(rest) \(currency)"
    }

    /// The largest sum in each currency, in cents.
    static func sums(in text: String) -> [String: Int] {
        let words = words(of: Array(text.unicodeScalars.prefix(mostLetters)))
        var sums: [String: Int] = [:]
        var found = 0
        // The currency in `10 EUR 2026` belongs to the number before it.
        var taken: Int?
        for index in words.indices where found < mostSums {
            guard let figure = Figure(words[index].text), let cents = cents(figure.number) else { continue }
            let follows = figure.isOpen ? following(index, in: words) : nil
            var near = currency(figure.before) ?? currency(figure.after)
            if near == nil, figure.after.isEmpty, follows != nil,
                !((figure.isYear || !hasFraction(figure.number))
                    && isSum(index + 2, in: words, after: figure))
            {
                near = follows
                taken = index + 1
            }
            if near == nil, figure.before.isEmpty, !figure.isDate, index > 0, taken != index - 1 {
                near = currency(words[index - 1].text.trimming("([{:\"'"))
            }
            guard let near else { continue }
            found += 1
            sums[near] = max(sums[near] ?? 0, cents)
        }
        return sums
    }

    private static let closing = ")]},.;:!?\"'"

    /// The currency that the next word is, unless a new line begins with it.
    private static func following(_ index: Int, in words: [Word]) -> String? {
        guard index + 1 < words.count, !words[index + 1].beginsLine else { return nil }
        // `100 Fr.` is a sum in francs, whose sign ends in a full stop.
        return currency(words[index + 1].text) ?? currency(words[index + 1].text.trimming(closing))
    }

    /// Whether the currency before this word belongs to it, and not to the number before the currency: `Qty 2 EUR 1,600.00`,
    /// `2026 EUR 10`.
    private static func isSum(_ index: Int, in words: [Word], after figure: Figure) -> Bool {
        guard index < words.count, beginsWithDigit(words[index].text) else { return false }
        return figure.isYear || Figure(words[index].text).map { hasFraction($0.number) } ?? false
    }

    /// `9.90`: a decimal point with two digits.
    private static func hasFraction(_ number: String) -> Bool {
        let end = number.trimming(".,'’").suffix(3)
        return end.count == 3 && (end.first == "." || end.first == ",") && end.dropFirst().allSatisfy(isDigit)
    }

    /// The number in a word, with the text directly before and after it. In a range such as `100-2000`, it is the second
    /// number.
    private struct Figure {
        let before: Substring
        let number: String
        let after: Substring
        /// `2026-11-28`, `11/2026`, `10:30`.
        let isDate: Bool
        /// Whether nothing ends the phrase after the number: `Order 4711: EUR 9.90` is not a sum of 4711.
        let isOpen: Bool

        init?(_ word: String) {
            guard let digit = word.firstIndex(where: Money.isDigit) else { return nil }
            before = word[..<digit].trimming("([{:=-–+\"'")
            var (number, rest) = Self.split(word[digit...])
            if let sign = rest.first, "-–".contains(sign), rest.dropFirst().first.map(Money.isDigit) == true {
                let (second, after) = Self.split(rest.dropFirst())
                if !Self.joinsDigits(after) { (number, rest) = (second, after) }
            }
            self.number = String(number)
            isOpen = !(word.last.map(".,;:!?".contains) ?? false)
            after = rest.trimming(")]},.;:!?-–—\"'")
            isDate = Self.joinsDigits(rest)
        }

        /// A number that is probably a year, before a currency and another number: `2026 EUR 10`.
        var isYear: Bool {
            before.isEmpty && number.count == 4 && (number.hasPrefix("19") || number.hasPrefix("20"))
                && number.allSatisfy(Money.isDigit)
        }

        private static func joinsDigits(_ rest: Substring) -> Bool {
            rest.first.map("-–/:".contains) == true && rest.dropFirst().first.map(Money.isDigit) == true
        }

        private static func split(_ text: Substring) -> (number: Substring, rest: Substring) {
            let number = text.prefix { Money.isDigit($0) || ".,'’".contains($0) }
            return (number, text[number.endIndex...])
        }
    }

    private static func isDigit(_ letter: Character) -> Bool { letter.isASCII && letter.isNumber }

    private static func beginsWithDigit(_ word: String) -> Bool {
        word.trimming("([{:=-+\"'").first.map(isDigit) == true
    }

    static func currency(_ word: some StringProtocol) -> String? {
        let word = String(word)
        return signs[word] ?? (codes.contains(word) ? word : nil)
    }

    /// `1,234.56`, `1.234,56`, `1'234.50`, `99`: the last sign is the decimal point if one or two digits follow it.
    /// nil: digits in other groups than those of a number, such as `24.12.2026`.
    static func cents(_ typed: String) -> Int? {
        var text = typed[...]
        while let last = text.last, !last.isNumber { text.removeLast() }
        guard !text.isEmpty, text.count <= 20 else { return nil }
        var fraction = ""
        if let sign = text.lastIndex(where: { $0 == "." || $0 == "," }),
            (1...2).contains(text.distance(from: sign, to: text.endIndex) - 1)
        {
            fraction = String(text[text.index(after: sign)...])
            text = text[..<sign]
        }
        guard hasGroupsOfNumber(text) else { return nil }
        let whole = text.filter(\.isNumber)
        guard whole.count <= 12, let units = Int(whole.isEmpty ? "0" : whole) else { return nil }
        let hundredths = fraction.isEmpty ? 0 : (Int(fraction) ?? 0) * (fraction.count == 1 ? 10 : 1)
        return units * 100 + hundredths
    }

    /// Groups of three digits, or of two before the last one, as in `1,23,456`.
    private static func hasGroupsOfNumber(_ text: Substring) -> Bool {
        let groups = text.split(omittingEmptySubsequences: false) { !isDigit($0) }.map(\.count)
        guard let first = groups.first, let last = groups.last, groups.count > 1 else { return true }
        return (1...3).contains(first) && last == 3
            && groups.allSatisfy { (2...3).contains($0) || $0 == first }
    }

    /// The words of a text. Groups of three digits after one space belong to the number before it: `1 234,56`.
    private static func words(of text: [Unicode.Scalar]) -> [Word] {
        var words: [Word] = []
        var beginsLine = false
        var word = String.UnicodeScalarView()
        var blanks: [Unicode.Scalar] = []
        var isNumber = false
        for scalar in text + [" "] {
            guard isBlank(scalar) else {
                word.append(scalar)
                continue
            }
            if !word.isEmpty {
                let next = String(word)
                let isGroup = blanks.count == 1 && groupSpaces.contains(blanks[0]) && isGroup(next)
                if isGroup, let last = words.last, isNumber || beginsNumber(last.text) {
                    words[words.count - 1].text = last.text + next
                    isNumber = next.count == 3
                } else {
                    words.append(Word(text: next, beginsLine: beginsLine))
                    isNumber = false
                }
                word = String.UnicodeScalarView()
                blanks = []
                beginsLine = false
            }
            beginsLine = beginsLine || scalar == "\n"
            if blanks.count < 2 { blanks.append(scalar) }
        }
        return words
    }

    private struct Word {
        var text: String
        let beginsLine: Bool
    }

    /// Spaces between the groups of a number.
    private static let groupSpaces: Set<Unicode.Scalar> = [" ", "\u{A0}", "\u{2009}", "\u{202F}"]

    /// Three digits, and no fourth.
    private static func isGroup(_ word: String) -> Bool {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        return digits.count == 3
    }

    /// One to three digits, perhaps after a currency.
    private static func beginsNumber(_ word: String) -> Bool {
        let digits = word.reversed().prefix { $0.isASCII && $0.isNumber }.count
        guard (1...3).contains(digits) else { return false }
        let before = word.dropLast(digits).trimming("([{:=-+\"'")
        return before.isEmpty || currency(before) != nil
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar == "|" || scalar == "\u{200B}"
    }
}

extension StringProtocol {
    fileprivate func trimming(_ signs: String) -> SubSequence {
        var (start, end) = (startIndex, endIndex)
        while start < end, signs.contains(self[start]) { start = index(after: start) }
        while start < end, signs.contains(self[index(before: end)]) { end = index(before: end) }
        return self[start..<end]
    }
}
