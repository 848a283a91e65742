/// opus asks what the screener held.
enum HeldMailSchema {
    static let sql = "CREATE INDEX step_held ON step(account, id) WHERE cause = 'hand' AND rule = 'screener';"
}
