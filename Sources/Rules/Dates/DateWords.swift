import Models

/// The words of dates: weekdays, months, units. English in rules; in mail also French, German and Spanish.
enum DateWords {
    /// 1 is Monday.
    static func weekday(_ word: String, anyLanguage: Bool) -> Int? {
        english.weekdays[word] ?? (anyLanguage ? foreign.weekdays[word] : nil)
    }

    static func month(_ word: String, anyLanguage: Bool) -> Int? {
        english.months[word] ?? (anyLanguage ? foreign.months[word] : nil)
    }

    private struct Words {
        let weekdays: [String: Int]
        let months: [String: Int]

        init(weekdays: [String], months: [String]) {
            self.weekdays = Self.numbered(weekdays)
            self.months = Self.numbered(months)
        }

        /// Each entry holds the spellings of one day or month.
        private static func numbered(_ entries: [String]) -> [String: Int] {
            var result: [String: Int] = [:]
            for (index, entry) in entries.enumerated() {
                for word in entry.split(separator: " ") {
                    result[String(word), default: index + 1] = index + 1
                }
            }
            return result
        }
    }

    private static let english = Words(
        weekdays: [
            "monday mon", "tuesday tue tues", "wednesday wed", "thursday thu thur thurs", "friday fri",
            "saturday sat", "sunday sun",
        ],
        months: [
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sep sept", "october oct", "november nov", "december dec",
        ])

    private static let foreign = Words(
        weekdays: [
            "lundi montag lunes", "mardi dienstag martes", "mercredi mittwoch miércoles miercoles",
            "jeudi donnerstag jueves", "vendredi freitag viernes", "samedi samstag sonnabend sábado sabado",
            "dimanche sonntag domingo",
        ],
        months: [
            "janvier janv januar jänner enero", "février fevrier févr februar febrero",
            "mars märz maerz marzo",
            "avril avr abril", "mai mayo", "juin juni junio", "juillet juil juli julio", "août aout agosto",
            "septembre septiembre", "octobre oktober okt octubre", "novembre noviembre",
            "décembre decembre déc dezember dez diciembre dic",
        ])

    enum Unit {
        case minute
        case hour
        case day
        case businessDay
        case week
        case month
        case year
    }

    static func unit(_ word: String) -> Unit? {
        switch word {
        case "minute", "minutes", "min", "mins": .minute
        case "hour", "hours", "h": .hour
        case "day", "days", "d": .day
        case "bd": .businessDay
        case "week", "weeks", "w": .week
        case "month", "months", "mo": .month
        case "year", "years", "y": .year
        case _: nil
        }
    }
}
