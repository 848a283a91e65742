/// Indexes for the few steps that send mail, wait for a decision or were refused: an old journal has many
/// other steps.

enum JournalIndexSchema {
    static let sql = """
        CREATE INDEX IF NOT EXISTS step_submitted ON step(token) WHERE verb = 'submit';
        CREATE INDEX IF NOT EXISTS step_refused ON step(account) WHERE state IN ('needsDecision', 'rejected');
        -- Asked when a message is deleted.
        CREATE INDEX IF NOT EXISTS rule_deferral_message ON rule_deferral(message);
        """
}
