public import Models

/// The events of a watch of the task folder.
public enum TaskWatchEvent: Sendable {
    case followed(FollowReport)
    /// The folder looks wrong, such as most files gone; nothing was done, and opus checks again later.
    case stopped(Problem)
    /// The program that syncs the folder with a calendar server failed; it is tried again.
    case syncFailed(Problem)
    /// It works again.
    case syncRecovered
}
