/// The result of a condition; `unknown` if a fact that it needs is missing.
enum Truth: Comparable {
    case no
    case unknown
    case yes

    init(_ value: Bool) { self = value ? .yes : .no }

    /// nil: unknown.
    init(_ value: Bool?) { self = value.map { $0 ? .yes : .no } ?? .unknown }

    var inverted: Truth {
        switch self {
        case .no: .yes
        case .unknown: .unknown
        case .yes: .no
        }
    }
}
