/// Whether a deferral is a decision of the user or a rule, or only assumed: a decision counts over it.

enum AssumedDeferralSchema {
    static let sql = """
        ALTER TABLE deferral ADD COLUMN is_assumed INTEGER NOT NULL DEFAULT 0;
        """
}
