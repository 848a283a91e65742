import ArgumentParser

/// `--limit` of a list: a number, or `none`.
enum ListLimit: ExpressibleByArgument, Equatable {
    case most(Int)
    case all

    /// The default limit of a list of messages. JSON documents have no limit by default.
    static let usual = 500

    init?(argument: String) {
        if argument == "none" {
            self = .all
        } else if let number = Int(argument) {
            self = .most(max(0, number))
        } else {
            return nil
        }
    }
}

extension Optional<ListLimit> {
    /// The limit; nil: none.
    func most(isJSON: Bool) -> Int? {
        switch self {
        case .most(let number): number
        case .all: nil
        case nil: isJSON ? nil : ListLimit.usual
        }
    }
}
