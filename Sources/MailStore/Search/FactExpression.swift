import GRDB
import Models

/// Translates the facts of a search into an SQL condition on a row of `message`.
struct FactExpression {
    /// nil: the columns cannot decide it.
    private(set) var sql: String?
    private(set) var arguments: [String: (any DatabaseValueConvertible)?] = [:]
    /// Whether few messages can meet the condition.
    private(set) var isRare = false

    init(_ condition: SearchCondition) {
        sql = condition.expression { leaf in
            guard case .fact(let fact) = leaf else { return nil }
            return expression(fact)
        }
        isRare = Self.isRare(condition)
    }

    private static func isRare(_ condition: SearchCondition) -> Bool {
        switch condition {
        case .everything, .words: false
        case .fact(let fact): fact.isRare
        case .all(let children): children.contains { isRare($0) }
        case .any(let children): !children.isEmpty && children.allSatisfy { isRare($0) }
        }
    }

    private mutating func argument(_ value: any DatabaseValueConvertible) -> String {
        let name = "fact\(arguments.count)"
        arguments[name] = value
        return ":" + name
    }

    private mutating func expression(_ fact: SearchFact) -> String? {
        switch fact {
        case .flag(let flag, let isSet):
            let bit = argument(Packed.flags([flag]))
            return """
                EXISTS (SELECT 1 FROM placement WHERE placement.message = message.id
                    AND coalesce(shown_flags, flags) & \(bit) \(isSet ? "<>" : "=") 0)
                """
        case .hasFiles: return "attachments <> ''"
        case .messageID(let id): return "message_id = \(argument(Packed.text(id)))"
        case .id(let prefix):
            return "(email_id >= \(argument(prefix)) AND email_id < \(argument(prefix + "\u{10FFFF}")))"
        case .size(let least, let most):
            let bounds = [least.map { "size >= \(argument($0))" }, most.map { "size <= \(argument($0))" }]
                .compactMap(\.self)
            return bounds.isEmpty ? nil : "(" + bounds.joined(separator: " AND ") + ")"
        }
    }
}
