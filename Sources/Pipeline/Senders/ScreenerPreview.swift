public import Models

/// New mail that would not stay in the inbox: what a dry run shows of the screener.
public struct ScreenerPreview: Sendable {
    public struct Mail: Sendable {
        public var mail: ReturnedMail
        /// Its sender is denied: it would go to the trash.
        public var isDenied: Bool
    }

    public var account: AccountID
    public var mails: [Mail]
}
