/// Why the steps of an account were not even tried the last time, so that `opus status` can say it.

enum QueueHaltSchema {
    static let sql = """
        -- No row: the last drain of the journal reached the account.
        CREATE TABLE queue_halt (
            account INTEGER PRIMARY KEY REFERENCES account(id),
            -- A name of `DrainReport.Halt`.
            halt TEXT NOT NULL,
            reason TEXT NOT NULL,
            at INTEGER NOT NULL
        ) STRICT;
        """
}
