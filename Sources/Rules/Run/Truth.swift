/// The answer to a condition; `unknown` when it would take something that could not be had.
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
