extension Action {
    /// A flag or a label of a message, set or removed.
    public enum Mark: Hashable, Sendable {
        case label(Keyword)
        case unlabel(Keyword)
        /// The label of a ``Bundle``.
        case bundle(Keyword)
        case flag
        case unflag
        case read(Bool)
    }

    /// Sets or removes the mark of this action. Returns false if nothing changed.
    public func mark(_ flags: inout Set<Flag>, _ keywords: inout Set<Keyword>) -> Bool {
        guard case .mark(let mark) = self else { return false }
        mark.change(&flags, &keywords)
        return true
    }

    public static func label(_ keyword: Keyword) -> Action { .mark(.label(keyword)) }
    public static func unlabel(_ keyword: Keyword) -> Action { .mark(.unlabel(keyword)) }
    public static let flag = Action.mark(.flag)
    public static let unflag = Action.mark(.unflag)
    public static func mark(read: Bool) -> Action { .mark(.read(read)) }
}

extension Action.Mark {
    var name: ActionName {
        switch self {
        case .label: .label
        case .unlabel: .unlabel
        case .bundle: .bundle
        case .flag: .flag
        case .unflag: .unflag
        case .read: .mark
        }
    }

    var word: String {
        switch self {
        case .label(let keyword): "label=\(keyword)"
        case .unlabel(let keyword): "unlabel=\(keyword)"
        case .bundle(let keyword): "bundle=\(Bundle(keyword)?.name ?? keyword.rawValue)"
        case .flag, .unflag: name.rawValue
        case .read(let isRead): isRead ? "read" : "unread"
        }
    }

    var identity: String {
        switch self {
        case .label(let keyword): "label " + keyword.rawValue
        case .unlabel(let keyword): "unlabel " + keyword.rawValue
        case .bundle(let keyword): "bundle " + keyword.rawValue
        case .flag, .unflag, .read: word
        }
    }

    func change(_ flags: inout Set<Flag>, _ keywords: inout Set<Keyword>) {
        switch self {
        case .label(let keyword), .bundle(let keyword): keywords.insert(keyword)
        case .unlabel(let keyword): keywords.remove(keyword)
        case .flag: flags.insert(.flagged)
        case .unflag: flags.remove(.flagged)
        case .read(true): flags.insert(.seen)
        case .read(false): flags.remove(.seen)
        }
    }
}
