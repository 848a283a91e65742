/// Which runs belong together: a command that works on several accounts, or in several stages, is one run for the user.

extension Schema {
    static let runParts = """
        -- The first run of the command; NULL: it is the first one itself.
        ALTER TABLE run ADD COLUMN part_of INTEGER REFERENCES run(id);
        CREATE INDEX run_part_of ON run(part_of) WHERE part_of IS NOT NULL;

        """
}
