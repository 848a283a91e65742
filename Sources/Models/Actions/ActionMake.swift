extension Action {
    /// Something new that opus makes from a message.
    public enum Make: Hashable, Sendable {
        case task(TodoDraft)
        case delegate(Delegation)
        case waiting(Waiting)
        /// A reply or a forward.
        case letter(Letter)
        /// An automatic reply that says the user is away.
        case vacation(AutoReply)
        /// A copy of the message in another mailbox.
        case copy(to: Mailbox)
        case saveFiles(SavedFiles)
    }

    public static func task(_ draft: TodoDraft) -> Action { .make(.task(draft)) }
    public static func delegate(_ delegation: Delegation) -> Action { .make(.delegate(delegation)) }
    public static func waiting(_ waiting: Waiting) -> Action { .make(.waiting(waiting)) }
    public static func letter(_ letter: Letter) -> Action { .make(.letter(letter)) }
    public static func vacation(_ reply: AutoReply) -> Action { .make(.vacation(reply)) }
    public static func copy(to mailbox: Mailbox) -> Action { .make(.copy(to: mailbox)) }
    public static func saveFiles(_ files: SavedFiles) -> Action { .make(.saveFiles(files)) }
}

extension Action.Make {
    var name: ActionName {
        switch self {
        case .task: .task
        case .delegate: .delegate
        case .waiting: .waiting
        case .letter(let letter): letter.kind == .reply ? .reply : .forward
        case .vacation: .vacation
        case .copy: .copy
        case .saveFiles: .saveAttachment
        }
    }

    var word: String {
        switch self {
        case .task(let draft): "task=\(draft.list)"
        case .delegate(let delegation): "delegate=\(delegation.to.addrSpec)"
        case .waiting(let waiting): "waiting=" + waiting.people.map(\.addrSpec).joined(separator: "+")
        case .letter(let letter):
            "\(letter.kind.rawValue)=" + letter.to.map(\.addrSpec).joined(separator: "+")
        case .vacation(let reply): "vacation=\(reply.to.addrSpec)"
        case .copy(let mailbox): "copy=\(mailbox.displayName)"
        case .saveFiles(let saving): "save-attachment=" + saving.paths.joined(separator: "+")
        }
    }

    var identity: String {
        switch self {
        case .task(let draft): Self.identity("task \(draft.list) " + draft.summary, draft.notes)
        case .delegate(let delegation):
            Self.identity(
                "delegate \(delegation.sending.rawValue) " + delegation.to.comparable, delegation.note)
        case .waiting(let waiting): "waiting " + waiting.on.comparable
        case .letter(let letter):
            Self.identity(
                "\(letter.kind.rawValue) \(letter.sending.rawValue) "
                    + letter.to.map(\.comparable).joined(separator: " "), letter.subject ?? "", letter.text)
        case .vacation(let reply):
            Self.identity(
                "vacation \(reply.sending.rawValue) " + reply.to.comparable, reply.text)
        case .copy(let mailbox): "copy " + mailbox.name.description
        case .saveFiles(let saving): "save-attachment " + saving.paths.joined(separator: " ")
        }
    }

    /// With the texts that the user reads before the plan is applied.
    private static func identity(_ action: String, _ texts: String...) -> String {
        texts.reduce(action) { $1.isEmpty ? $0 : $0 + "\n" + $1 }
    }

    public var makesTask: Bool {
        switch self {
        case .task, .delegate, .waiting: true
        case .letter, .vacation, .copy, .saveFiles: false
        }
    }

    /// Whether what it makes is named after the message, so that it is made once however often a plan is made.
    public var isNamedAfterMessage: Bool {
        switch self {
        case .task, .delegate, .waiting, .letter: true
        case .vacation, .copy, .saveFiles: false
        }
    }

    /// Whether it takes the bytes of the message, whole.
    public var needsOriginal: Bool {
        switch self {
        case .delegate, .copy: true
        case .letter(let letter): letter.kind == .forward
        case .task, .waiting, .vacation, .saveFiles: false
        }
    }

    /// Where a copy goes; nil: it is not a copy.
    public var copyDestination: Mailbox? {
        if case .copy(let mailbox) = self { mailbox } else { nil }
    }

    /// The mail that it writes: to whom, and whether it is sent; nil: it writes none.
    public var mail: (to: [EmailAddress], sending: Delegation.Sending)? {
        switch self {
        case .delegate(let delegation) where delegation.isWritten == true: nil
        case .delegate(let delegation): ([delegation.to], delegation.sending)
        case .letter(let letter): (letter.to, letter.sending)
        case .vacation(let reply): ([reply.to], reply.sending)
        case .task, .waiting, .copy, .saveFiles: nil
        }
    }

    /// The same with a draft instead of a mail that is sent.
    public var asDraft: Action.Make {
        switch self {
        case .delegate(var delegation):
            delegation.sending = .draft
            return .delegate(delegation)
        case .letter(var letter):
            letter.sending = .draft
            return .letter(letter)
        case .vacation(var reply):
            reply.sending = .draft
            return .vacation(reply)
        case .task, .waiting, .copy, .saveFiles: return self
        }
    }
}
