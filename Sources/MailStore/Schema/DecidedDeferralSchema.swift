/// When the deferral that a step ended was set: a later decision about the message counts over it.
enum DecidedDeferralSchema {
    /// NULL: an earlier version of opus ended it.
    static let sql = "ALTER TABLE ended_deferral ADD COLUMN set_at INTEGER;"
}
