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
        "euro": "EUR", "euros": "EUR", "Euro": "EUR",
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
        let words = text.unicodeScalars.prefix(mostLetters).split { isBlank($0) }.map { String($0) }
        var sums: [String: Int] = [:]
        var found = 0
        for (index, word) in words.enumerated() {
            guard found < mostSums, let digit = word.firstIndex(where: { $0.isASCII && $0.isNumber }) else {
                continue
            }
            let before = word[..<digit].trimming("([{:=-+\"'")
            let rest = word[digit...]
            let number = rest.prefix { ($0.isASCII && $0.isNumber) || ".,'’".contains($0) }
            let after = rest[number.endIndex...].trimming(")]},.;:!?-\"'")
            let near =
                currency(before) ?? currency(after)
                ?? (after.isEmpty && index + 1 < words.count
                    ? currency(words[index + 1].trimming(")]},.;:!?\"'")) : nil)
                ?? (before.isEmpty && index > 0 ? currency(words[index - 1].trimming("([{:\"'")) : nil)
            guard let near, let cents = cents(String(number)) else { continue }
            found += 1
            sums[near] = max(sums[near] ?? 0, cents)
        }
        return sums
    }

    static func currency(_ word: some StringProtocol) -> String? {
        let word = String(word)
        return signs[word] ?? (codes.contains(word) ? word : nil)
    }

    /// `1,234.56`, `1.234,56`, `1'234.50`, `99`: the last sign is the decimal point if one or two digits follow it.
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
        let whole = text.filter(\.isNumber)
        guard whole.count <= 12, let units = Int(whole.isEmpty ? "0" : whole) else { return nil }
        let hundredths = fraction.isEmpty ? 0 : (Int(fraction) ?? 0) * (fraction.count == 1 ? 10 : 1)
        return units * 100 + hundredths
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
