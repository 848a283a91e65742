/// What a rule or the user wants to do with a message. All values are filled in; no step is queued yet.
///
/// Actions come in four families: code that handles one family stays as it is when another family grows.
public enum Action: Hashable, Sendable {
    /// Where the message ends up. A message has one place.
    case place(Place)
    /// A flag or a label, set or removed.
    case mark(Mark)
    /// Something new: a task, a mail, or a file.
    case make(Make)
    /// Something for the user to read.
    case tell(Tell)

    public var name: ActionName {
        switch self {
        case .place(let place): place.name
        case .mark(let mark): mark.name
        case .make(let make): make.name
        case .tell(let tell): tell.name
        }
    }

    /// The name with its main value, for lists that programs read: `move=Lists`, `label=news`, `read`.
    public var word: String {
        switch self {
        case .place(let place): place.word
        case .mark(let mark): mark.word
        case .make(let make): make.word
        case .tell(let tell): tell.word
        }
    }

    /// The part of the action that identifies it in a plan: without times and other details.
    public var identity: String {
        switch self {
        case .place(let place): place.identity
        case .mark(let mark): mark.identity
        case .make(let make): make.identity
        case .tell(let tell): tell.identity
        }
    }

    /// Whether it decides where the message ends up. A message has one such action and any number of others.
    public var isDisposition: Bool {
        if case .place = self { true } else { false }
    }

    /// Whether it needs the complete original bytes of the message.
    public var needsOriginal: Bool {
        if case .make(let make) = self { make.needsOriginal } else { false }
    }

    /// Whether it makes a task or a mail whose name comes from the message, so that it is made once.
    public var isNamedAfterMessage: Bool {
        if case .make(let make) = self { make.isNamedAfterMessage } else { false }
    }

    /// Whether it makes a task.
    public var makesTask: Bool {
        if case .make(let make) = self { make.makesTask } else { false }
    }
}
