public import MailStore

/// A change that another program made to a draft, and the result here.
public struct DraftNews: Sendable {
    /// What to do with a version that another program saved.
    enum Fate {
        /// It becomes the draft, where that was not changed here meanwhile; else it is kept beside it.
        case taken
        /// It becomes a draft of its own.
        case keptBeside
        /// It stays where it is.
        case left
    }

    /// The draft as it is now.
    public internal(set) var draft: StoredDraft
    /// A sentence for each version of another program.
    public internal(set) var news: [String] = []
    /// It was changed here and elsewhere: only the user can say which one counts.
    public internal(set) var isChangedTwice = false
    /// The Drafts mailbox had it, but no longer has a version of it.
    public internal(set) var isGone = false
}
