public import Models

/// New mail that would not stay in the inbox, for a dry run.
public struct ScreenerPreview: Sendable {
    public struct Mail: Sendable {
        public var mail: ReturnedMail
        /// Its sender was denied: it would go to the trash.
        public var isDenied: Bool
    }

    public var account: AccountID
    public var mails: [Mail]
}
