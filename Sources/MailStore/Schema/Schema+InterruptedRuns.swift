/// Whether a run came to its end. One that did not was interrupted, and the person is asked before its rest is done.

extension Schema {
    static let interruptedRuns = """
        -- `RunProgress`.
        ALTER TABLE run ADD COLUMN progress TEXT NOT NULL DEFAULT 'ended'
            CHECK (progress IN ('going', 'ended', 'held'));
        -- Whether a person is asked before the rest of it is done.
        ALTER TABLE run ADD COLUMN asks INTEGER NOT NULL DEFAULT 0 CHECK (asks IN (0, 1));
        CREATE INDEX run_progress ON run(account) WHERE progress <> 'ended';

        """
}
