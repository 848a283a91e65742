/// `9am`, `9:30pm`, `09:30`, `17:00:30`, `noon`, `midnight`, in seconds after midnight.
enum DateTimeOfDay {
    static func parse(_ text: String) -> Int? {
        if text == "noon" { return 12 * 3_600 }
        if text == "midnight" { return 0 }
        let isAfternoon = text.hasSuffix("pm")
        let isHalved = isAfternoon || text.hasSuffix("am")
        let clock = isHalved ? text.dropLast(2) : text[...]
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            (1...2).contains(part.utf8.count) ? DatePhraseParser.count(String(part)).map(Int.init) : nil
        }
        guard numbers.count == parts.count, (isHalved ? 1...3 : 2...3).contains(numbers.count),
            numbers.dropFirst().allSatisfy({ $0 < 60 })
        else { return nil }
        var hour = numbers[0]
        if isHalved {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
        }
        guard hour < 24 else { return nil }
        return hour * 3_600 + (numbers.count > 1 ? numbers[1] : 0) * 60 + (numbers.count > 2 ? numbers[2] : 0)
    }
}
