import Models
public import Pipeline

/// `opus.rules-diff/1`
public struct RulesDiffDocument: Encodable, Sendable {
    struct Side: Encodable, Sendable {
        var title: String
        var files: Int
        var rules: Int
    }

    struct Sample: Encodable, Sendable {
        var message: String
        var from: String?
        var subject: String
        var date: Timestamp
        var before: [String]
        var after: [String]
    }

    struct Group: Encodable, Sendable {
        var count: Int
        var samples: [Sample]
    }

    struct Rule: Encodable, Sendable {
        var rule: String
        var gained: Group
        var lost: Group
        var changed: Group
    }

    var schema = "opus.rules-diff/1"
    var old: Side
    var new: Side
    var query: String
    var messages: Int
    var different: Int
    var rules: [Rule]

    public init(_ comparison: RuleComparison) {
        let side = { (side: RuleComparison.Side) in
            Side(title: side.title, files: side.files, rules: side.rules)
        }
        let group = { (group: RuleComparison.Group) in
            Group(
                count: group.count,
                samples: group.samples.map {
                    Sample(
                        message: $0.message.rawValue, from: $0.from?.addrSpec, subject: $0.subject,
                        date: $0.date,
                        before: $0.before.map(\.word), after: $0.after.map(\.word))
                })
        }
        old = side(comparison.old)
        new = side(comparison.new)
        query = comparison.query
        messages = comparison.messages
        different = comparison.different
        rules = comparison.rules.map {
            Rule(rule: $0.rule, gained: group($0.gained), lost: group($0.lost), changed: group($0.changed))
        }
    }
}
