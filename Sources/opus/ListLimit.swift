import ArgumentParser

/// `--limit` of a list or `--max` of a run: a number, or `none`.
enum ListLimit: ExpressibleByArgument, Equatable {
    case most(Int)
    case all

    /// The default limit of a list of messages. JSON documents have no limit by default.
    static let usual = 500

    /// The number; nil: all.
    var number: Int? {
        switch self {
        case .most(let number): number
        case .all: nil
        }
    }

    var defaultValueDescription: String { number.map(String.init) ?? "none" }

    init?(argument: String) {
        if argument == "none" {
            self = .all
        } else if let number = Int(argument), number >= 0 {
            self = .most(number)
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
