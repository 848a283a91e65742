/// Whether a run was completed. A run that was not completed was interrupted; opus continues it only after
/// the user confirms.

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
