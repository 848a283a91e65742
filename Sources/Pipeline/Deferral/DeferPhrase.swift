import Accounts
import Models
import Rules

/// Parses the end of a deferral: a date phrase of rules, or `someday`.
struct DeferPhrase {
    let workspace: Workspace
    let now: Timestamp

    /// nil: the phrase is not a date, or not in the future.
    func until(_ phrase: String) -> DeferredUntil? {
        if phrase.lowercased() == DeferredUntil.somedayWord { return .someday }
        let date = DatePhrase.resolve(
            phrase, now: now, timeZone: workspace.timeZone, dayFirst: workspace.dayFirst,
            workdayEnd: workspace.workday.end, businessDays: workspace.workday.days)
        guard let time = date.flatMap({ DatePhrase.instant(of: $0, timeZone: workspace.timeZone) }),
            time > now
        else { return nil }
        return .time(time)
    }
}
