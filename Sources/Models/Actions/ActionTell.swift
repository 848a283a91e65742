extension Action {
    /// Something for the user to read in the report of the run.
    public enum Tell: Hashable, Sendable {
        case notify(String)
        /// Proposes to leave the mailing list. opus sends nothing until the user agrees.
        case unsubscribe
    }

    public static func notify(_ text: String) -> Action { .tell(.notify(text)) }
    public static let unsubscribe = Action.tell(.unsubscribe)
}

extension Action.Tell {
    var name: ActionName {
        switch self {
        case .notify: .notify
        case .unsubscribe: .unsubscribe
        }
    }

    var word: String { name.rawValue }

    var identity: String {
        switch self {
        case .notify(let text): "notify " + text
        case .unsubscribe: name.rawValue
        }
    }
}
