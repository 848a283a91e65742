public import Models

/// New mail that does not stay in the inbox.
public struct ScreenedMail: Sendable {
    public var mail: ReturnedMail
    /// Its sender was denied: it goes to the trash.
    public var isDenied: Bool
}

/// What the screener would do, for a dry run.
public struct ScreenerPreview: Sendable {
    public var account: AccountID
    public var mails: [ScreenedMail]
}

/// What the screener did.
public struct Screened: Sendable {
    public var report: RunReport
    /// The mail that was moved.
    public var mails: [ScreenedMail]
}
