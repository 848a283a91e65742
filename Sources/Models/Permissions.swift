/// One kind of change that an account may allow. Reading needs no permission.
public enum Permission: String, Hashable, CaseIterable, Sendable {
    /// Set and clear flags and labels.
    case mark
    /// Move messages between mailboxes; a server without MOVE copies them first.
    case move
    /// Make mailboxes.
    case create
    /// Put messages into mailboxes: drafts, copies of sent mail, the list of deferred messages.
    case draft
    /// Remove messages for good.
    case delete
    /// Give mail to a server or program that sends it.
    case send

    /// What opus does with this permission, for a sentence.
    public var words: String {
        switch self {
        case .mark: "change flags or labels"
        case .move: "move messages"
        case .create: "make mailboxes"
        case .draft: "put messages into mailboxes"
        case .delete: "remove messages for good"
        case .send: "send mail"
        }
    }
}

/// What an account allows opus to do: `allow:` in opus.yaml.
public struct Permissions: Hashable, Sendable {
    /// A name for a set of permissions.
    public enum Level: String, Hashable, CaseIterable, Sendable {
        case read
        case organise
        case send
        case full

        public var allowed: Set<Permission> {
            switch self {
            case .read: []
            case .organise: [.mark, .move, .create, .draft]
            case .send: [.mark, .move, .create, .draft, .send]
            case .full: Set(Permission.allCases)
            }
        }
    }

    public let allowed: Set<Permission>
    /// As the user writes it: `read`, `[mark, move]`.
    public let name: String

    public init(_ level: Level) {
        allowed = level.allowed
        name = level.rawValue
    }

    /// `send` includes `draft`, because opus keeps a copy of sent mail.
    public init(_ listed: [Permission]) {
        allowed = Set(listed).union(listed.contains(.send) ? [.draft] : [])
        name = "[\(listed.map(\.rawValue).joined(separator: ", "))]"
    }

    public static let full = Permissions(.full)

    public func allows(_ permission: Permission) -> Bool { allowed.contains(permission) }

    /// Whether messages in mailboxes may change. Otherwise opus opens every mailbox read-only.
    public var changesMailboxes: Bool { !allowed.isDisjoint(with: [.mark, .move, .delete]) }

    /// Why opus does not do something: a clause without a full stop.
    public func refusal(of permission: Permission) -> String {
        "allow: \(name) does not let opus \(permission.words)"
    }

    /// What to write in opus.yaml so that the permission is included.
    public func wording(including permission: Permission) -> String {
        if Level(rawValue: name) == nil {
            let names = Permission.allCases.filter { allowed.contains($0) || $0 == permission }
            return "allow: [\(names.map(\.rawValue).joined(separator: ", "))]"
        }
        let level = Level.allCases.first { $0.allowed.isSuperset(of: allowed.union([permission])) }
        return "allow: \((level ?? .full).rawValue)"
    }
}

extension Step.Kind {
    /// The permission that the step needs; nil: it does not change the account.
    public var permission: Permission? {
        switch self {
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .wait, .saveFile, .removeFile, .list,
            .editThreads:
            nil
        case .append: .draft
        case .submit: .send
        case .store: .mark
        // A removed draft goes to the trash. If the account has no trash, the client also requires `delete`.
        case .move, .remove: .move
        case .createMailbox: .create
        }
    }
}

extension Action {
    /// All permissions that the action needs.
    public var permissions: Set<Permission> {
        switch self {
        case .place(.keep), .tell: return []
        case .place: return [.move]
        case .mark: return [.mark]
        case .make(let make):
            if let mail = make.mail { return mail.sending == .now ? [.send, .draft] : [.draft] }
            return make.copyDestination == nil ? [] : [.draft]
        }
    }
}
