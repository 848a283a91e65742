import Models

/// `size`: the size of the message, in bytes.
extension ConditionEntry {
    static let size = ConditionEntry(
        "size", "structure", .amount(.size), "the size of the message", "size>2M")
}

extension Amount {
    static let size = Amount(
        unit: .bytes,
        sieve: { sign, bytes in
            switch sign {
            case .greater: .over(bytes)
            case .greaterOrEqual: .over(bytes - 1)
            case .less: .under(bytes)
            case .lessOrEqual: .under(bytes + 1)
            case .equal: .every([.over(bytes - 1), .under(bytes + 1)])
            }
        },
        isMessageSize: true, values: { [$0.facts.size] }, seen: { counted($0.facts.size, "byte") })
}

extension SieveCondition {
    /// RFC 5228 §5.9.
    fileprivate static func over(_ bytes: Int) -> SieveCondition {
        bytes < 0 ? .yes : .plain("size :over \(bytes)")
    }

    fileprivate static func under(_ bytes: Int) -> SieveCondition {
        bytes <= 0 ? .no : .plain("size :under \(bytes)")
    }
}
