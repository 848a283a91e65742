import Models
import Pipeline

/// Counts of an inbox on the first day.
struct FirstDayOutput {
    let console: Console

    func show(_ offer: FirstDayOffer) {
        console.print(
            "\(TerminalText.line(offer.account.rawValue)): \(counted(offer.inbox, "message")) in the inbox")
        let age = "older than " + counted(offer.days, "day")
        line(age + " and not flagged", offer.backlog.count, "archive, no tasks")
        line(age + " and flagged", offer.flagged, "stay")
        line(age + " with an open task", offer.withTask, "stay")
        line(age + " and protected by your rules", offer.protected, "stay")
        line("newer", offer.recent, "your rules; they make tasks and drafts of these only")
    }

    private func line(_ what: String, _ count: Int, _ effect: String) {
        if count > 0 { console.print("  \(what): \(Self.grouped(count)) → \(effect)") }
    }

    /// The number with separators: `1,934`.
    static func grouped(_ number: Int) -> String {
        var digits = String(number)
        var index = digits.count - 3
        while index > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: index))
            index -= 3
        }
        return digits
    }
}
