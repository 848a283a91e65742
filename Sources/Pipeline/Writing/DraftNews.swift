public import MailStore

/// A change of a draft by another program, and its local effect.
public struct DraftNews: Sendable {
    /// What to do with a version that another program saved.
    enum Fate {
        /// It replaces the draft, unless that was changed locally meanwhile; then it is kept as another
        /// draft.
        case taken
        /// It becomes a separate draft.
        case keptBeside
        /// It stays where it is.
        case left
    }

    /// The current draft.
    public internal(set) var draft: StoredDraft
    /// One sentence for each version of another program.
    public internal(set) var news: [String] = []
    /// It was changed both locally and elsewhere: the user must choose a version.
    public internal(set) var isChangedTwice = false
    /// The Drafts mailbox no longer has a version of it.
    public internal(set) var isGone = false
}
