/// Which versions of a draft opus knows, byte for byte; and an index of the versions that it put into a
/// mailbox.

extension Schema {
    static let draftVersions = """
        -- `DraftVersions` as JSON: digests of what opus put into the Drafts mailbox, and of what it took from there.
        ALTER TABLE draft ADD COLUMN versions TEXT NOT NULL DEFAULT '{"own":[],"adopted":[]}';
        -- The Message-ID that the version in the Drafts mailbox has.
        ALTER TABLE draft ADD COLUMN pushed_token TEXT;
        CREATE INDEX step_appended ON step(token) WHERE verb = 'append';
        """
}
