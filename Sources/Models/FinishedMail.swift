/// What happens to the mail behind a completed or cancelled task, as the workspace sets it.
public enum FinishedMail: String, Hashable, Codable, Sendable, CaseIterable {
    case archive
    /// It stays where it is.
    case keep
    /// It goes to the trash, and opus asks every time before that.
    case trash
}
