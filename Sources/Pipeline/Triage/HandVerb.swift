/// A verb that a person gives by hand, before the account is known.
public struct HandVerb: Sendable {
    public enum Effect: Sendable {
        case archive
        case trash
        case junk
        /// A mailbox by name or role.
        case move(to: String)
        case label(String)
        case unlabel(String)
        case flag
        case unflag
        case read
        case unread
    }

    public var effect: Effect
    /// nil: as rules do. Archive and move take the conversation; trash, junk and marks are for the one message.
    public var takesThread: Bool?
    /// Also messages that `protect` holds.
    public var isForced: Bool

    public init(_ effect: Effect, takesThread: Bool? = nil, isForced: Bool = false) {
        self.effect = effect
        self.takesThread = takesThread
        self.isForced = isForced
    }

    /// Its name in the journal.
    public var name: String {
        switch effect {
        case .archive: "archive"
        case .trash: "trash"
        case .junk: "junk"
        case .move: "move"
        case .label: "label"
        case .unlabel: "unlabel"
        case .flag: "flag"
        case .unflag: "unflag"
        case .read: "read"
        case .unread: "unread"
        }
    }

    var movesThread: Bool {
        if let takesThread { return takesThread }
        switch effect {
        case .archive, .move: return true
        case .trash, .junk, .label, .unlabel, .flag, .unflag, .read, .unread: return false
        }
    }
}
