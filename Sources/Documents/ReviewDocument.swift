import Models
public import Pipeline

/// `opus.review/1`: the questions of a review, and which of them were answered.
public struct ReviewDocument: Encodable, Sendable {
    var schema = "opus.review/1"
    var begun: String
    var items: [Item]

    struct Item: Encodable, Sendable {
        var section: String
        /// The id, as commands accept it.
        var id: String
        var title: String
        var detail: String
        /// When it was written, when it is due, or when it comes back.
        var date: String?
        var answered: Bool
        var choices: [Choice]
    }

    struct Choice: Encodable, Sendable {
        var key: String
        var choice: String
    }

    public init(_ items: [ReviewItem], _ state: ReviewState, _ zone: ZoneClock) {
        begun = zone.rfc3339(state.begun)
        let decided = state.decided
        self.items = items.map { item in
            Item(
                section: item.section.rawValue, id: item.id, title: item.title, detail: item.detail,
                date: item.date.map { TaskDocument.text($0, zone) },
                answered: decided.contains(item.key),
                choices: item.choices.map { Choice(key: String($0.key), choice: $0.rawValue) })
        }
    }
}
