/// The due dates of deferred messages that a step moved. Undo restores them.

enum EndedDeferralSchema {
    static let sql = """
        CREATE TABLE ended_deferral (
            step INTEGER PRIMARY KEY REFERENCES step(id),
            -- In seconds; NULL: someday.
            until INTEGER
        ) STRICT;
        """
}
