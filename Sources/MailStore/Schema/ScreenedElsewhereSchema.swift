/// How far the screener has looked for messages that came to another mailbox than the inbox.
enum ScreenedElsewhereSchema {
    /// The newest message at the last look; NULL: it has not looked yet.
    static let sql = "ALTER TABLE screener ADD COLUMN checked INTEGER;"
}
