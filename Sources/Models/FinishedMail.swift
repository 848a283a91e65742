/// What happens to the mail behind a task that was completed or cancelled, as set in the workspace.
public enum FinishedMail: String, Hashable, Codable, Sendable, CaseIterable {
    case archive
    /// It stays where it is.
    case keep
    /// To the trash; opus asks first, every time.
    case trash
}
