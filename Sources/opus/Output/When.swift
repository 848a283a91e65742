import Models
import Pipeline

/// Formats times for lists: ages, days and clock times, in the time zone of the workspace.
struct When {
    let zone: ZoneClock
    let now: Timestamp

    /// `now`, `12m`, `3h`, `5d`, `7w`, `2y`.
    func age(_ time: Timestamp) -> String {
        let seconds = now - time
        return switch seconds {
        case ..<60: "now"
        case ..<3_600: "\(seconds / 60)m"
        case ..<86_400: "\(seconds / 3_600)h"
        case ..<(14 * 86_400): "\(seconds / 86_400)d"
        case ..<(365 * 86_400): "\(seconds / (7 * 86_400))w"
        case _: "\(seconds / (365 * 86_400))y"
        }
    }

    /// `Tue 31 Mar`, with the year when it is another one.
    func day(_ date: CalendarDate) -> String {
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let base = "\(names[date.weekday - 1]) \(date.day) \(months[date.month - 1])"
        return date.year == zone.local(now).date.year ? base : base + " \(date.year)"
    }

    /// `Sat 14 Mar 10:00`
    func moment(_ time: Timestamp) -> String {
        let local = zone.local(time)
        return day(local.date) + " " + local.clock.prefix(5)
    }

    func text(_ date: TodoDate) -> String {
        switch zone.settled(date) {
        case .date(let day): self.day(day)
        case .instant(let time): moment(time)
        case .local(let local, zone: _): day(local.date) + " " + local.clock.prefix(5)
        }
    }

    /// RFC 3339, or the plain date.
    func machine(_ date: TodoDate) -> String {
        switch zone.settled(date) {
        case .date(let day): day.description
        case .instant(let time): zone.rfc3339(time)
        case .local(let local, zone: _): "\(local.date)T\(local.clock)"
        }
    }

    /// An action of a rule in one word, with its time.
    func word(of action: Action) -> String {
        guard case .place(.deferUntil(.time(let time))) = action else { return action.word }
        return "defer=\(moment(time))"
    }
}
