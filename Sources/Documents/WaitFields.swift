import Models
import Pipeline

/// The state of a wait: a part of `opus.tasks/1` and `opus.task/1`.
struct WaitFields: Encodable, Sendable {
    struct Answer: Encodable, Sendable {
        var from: String
        var received: String
        /// Whole days after the question.
        var days: Int64
        var messageID: String?
        /// The answer names no mail of the user; only the person and the subject match.
        var isGuess: Bool
    }

    struct Absence: Encodable, Sendable {
        var from: String
        var until: String?
    }

    /// `drafted`, `sent`, `answered`, `overdue`, `undelivered`, `closed`.
    var state: String
    /// null: the question was not sent yet.
    var since: String?
    var askAt: String?
    var asked: [String]
    var missing: [String]
    var answers: [Answer]
    var absences: [Absence]
    var undelivered: [String]

    init(_ wait: Wait, _ zone: ZoneClock) {
        state = wait.state.rawValue
        since = wait.since.map(zone.rfc3339)
        askAt = wait.askAt.map(zone.rfc3339)
        asked = wait.asked.map(\.addrSpec)
        missing = wait.missing.map(\.addrSpec)
        answers = wait.answers.map {
            Answer(
                from: $0.from.addrSpec, received: zone.rfc3339($0.received), days: wait.days(until: $0),
                messageID: $0.messageID?.rawValue, isGuess: $0.isGuess)
        }
        absences = wait.absences.map { Absence(from: $0.from.addrSpec, until: $0.until?.description) }
        undelivered = wait.failures.flatMap(\.recipients).map(\.addrSpec)
    }
}
