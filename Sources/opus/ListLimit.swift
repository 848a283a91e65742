import ArgumentParser

/// `--limit` of a list: a number, or `none`.
enum ListLimit: ExpressibleByArgument, Equatable {
    case most(Int)
    case all

    /// What a list of messages shows unless another number is given. Documents in JSON have all of them.
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
    /// nil: all of them.
    func most(isJSON: Bool) -> Int? {
        switch self {
        case .most(let number): number
        case .all: nil
        case nil: isJSON ? nil : ListLimit.usual
        }
    }
}
