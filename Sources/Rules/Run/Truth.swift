/// The answer to a condition; `unknown` when a fact that it needs is missing.
enum Truth {
    case no
    case unknown
    case yes

    init(_ value: Bool) { self = value ? .yes : .no }

    /// nil: not known.
    init(_ value: Bool?) { self = value.map { $0 ? .yes : .no } ?? .unknown }

    var inverted: Truth {
        switch self {
        case .no: .yes
        case .unknown: .unknown
        case .yes: .no
        }
    }
}
