/// Until when a message waited that a step took away: undo puts it back with this date.

enum EndedDeferralSchema {
    static let sql = """
        CREATE TABLE ended_deferral (
            step INTEGER PRIMARY KEY REFERENCES step(id),
            -- In seconds; NULL: someday.
            until INTEGER
        ) STRICT;
        """
}
