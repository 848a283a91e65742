/// What becomes of the mail behind a task that was completed, or cancelled: the workspace's word.
public enum FinishedMail: String, Hashable, Codable, Sendable, CaseIterable {
    case archive
    /// It stays where it is.
    case keep
    /// To the trash; asked first, every time.
    case trash
}
