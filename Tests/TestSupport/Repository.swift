public import Foundation

/// The project that is tested.
public enum Repository {
    public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Mail, transcripts and stores that tests read.
    public static let fixtures = root.appending(path: "Tests/Fixtures")
}
