/// Why opus did not try the steps of an account the last time; `opus status` shows it.

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
