import Models
import Rules
import TodoCalendar

extension Invitation {
    /// Whether both are known to be at different times. Some programs move an event without a new SEQUENCE.
    ///
    /// - Parameters:
    ///   - other: Another version of the invitation, or an answer to one.
    ///   - timeZone: Of days, and of times without a zone that is known.
    /// - Returns: Whether the start differs, or the end, if both have one.
    func isAtAnotherTime(than other: Invitation, timeZone: String) -> Bool {
        [(start, other.start), (end, other.end)].contains { own, others in
            let times = [own, others].map { date in
                date.flatMap { DatePhrase.instant(of: $0, timeZone: timeZone, secondOfDay: 0) }
            }
            return times[0] != nil && times[1] != nil && times[0] != times[1]
        }
    }
}
