/// One kind of change that an account may allow. Reading needs none.
public enum Permission: String, Hashable, CaseIterable, Sendable {
    /// Set and take flags and labels.
    case mark
    /// Move and copy messages between mailboxes.
    case move
    /// Make mailboxes.
    case create
    /// Put messages into mailboxes: drafts, copies of sent mail, the list of deferred messages.
    case draft
    /// Remove messages for good.
    case delete
    /// Hand mail to a server or a program that sends it.
    case send

    /// What opus would do with it.
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

/// What an account lets opus do: `allow:` in opus.yaml.
public struct Permissions: Hashable, Sendable {
    /// A name for several of them.
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

    /// Who sends keeps a copy: `send` includes `draft`.
    public init(_ listed: [Permission]) {
        allowed = Set(listed).union(listed.contains(.send) ? [.draft] : [])
        name = "[\(listed.map(\.rawValue).joined(separator: ", "))]"
    }

    public static let full = Permissions(.full)

    public func allows(_ permission: Permission) -> Bool { allowed.contains(permission) }

    /// Whether any message that is in a mailbox may change there. Else every mailbox is opened read-only.
    public var changesMailboxes: Bool { !allowed.isDisjoint(with: [.mark, .move, .delete]) }

    /// Why something is not done: a clause without a full stop.
    public func refusal(of permission: Permission) -> String {
        "allow: \(name) does not let opus \(permission.words)"
    }

    /// What to write in place of it, so that the permission is included.
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
    /// What the account must allow for it; nil: it does not touch the account.
    public var permission: Permission? {
        switch self {
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .wait, .saveFile, .removeFile, .list,
            .editThreads:
            nil
        case .append: .draft
        case .submit: .send
        case .store: .mark
        // A draft that is removed goes to the trash; where the account has none, the client also wants `delete`.
        case .move, .remove: .move
        case .createMailbox: .create
        }
    }
}

extension Action {
    /// What the account must allow for all of it.
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
