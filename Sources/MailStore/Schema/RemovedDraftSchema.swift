/// opus asks whether the draft with a Message-ID was removed.
enum RemovedDraftSchema {
    static let sql = "CREATE INDEX step_removed ON step(token) WHERE verb = 'remove';"
}
