public import Models

/// The events of a watch of the task folder.
public enum TaskWatchEvent: Sendable {
    case followed(FollowReport)
    /// The folder is suspicious, for example most files are missing; nothing was done, and opus checks again
    /// later.
    case stopped(Problem)
    /// The program that syncs the folder with a calendar server failed; opus tries again.
    case syncFailed(Problem)
    /// The program works again.
    case syncRecovered
}
