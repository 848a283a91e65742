import Models

/// `event`: the time of the event of an invitation.
extension ConditionEntry {
    static let event = ConditionEntry(
        "event", "time", .time(.event), "the start of the event of a calendar part", "event:past")
}

extension State {
    /// `event:past`. A series is past when its last occurrence is.
    static let eventPast = State(
        name: "event:past", holds: { Truth($0.eventIsOver) }, seen: { $0.seenEvent })
}

extension MessageSight {
    fileprivate var eventIsOver: Bool {
        guard let over = facts.event?.over else { return false }
        return switch over {
        case .date(let day): day <= zone.local(context.now).date
        case .instant(let time): time <= context.now
        case .local(let reading, zone: _): zone.instant(reading) <= context.now
        }
    }

    var seenEvent: String {
        guard let event = facts.event else { return "no event" }
        guard let start = event.start else { return "an event without a date" }
        return spelling(start) + (event.over.map { ", over \(spelling($0))" } ?? ", repeats")
    }
}
