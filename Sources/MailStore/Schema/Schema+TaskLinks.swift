/// A link between a task and its mail records its basis: a file alone cannot make a link. A task whose file
/// vanished is remembered for a while, because some programs complete a task by deleting its file and writing
/// another one.

extension Schema {
    static let taskLinks = """
        -- `TodoLink.Basis`. 'claimed' is only in stores of an older version, until the next run looks at it.
        ALTER TABLE todo_link ADD COLUMN basis TEXT NOT NULL DEFAULT 'claimed'
            CHECK (basis IN ('made', 'agreed', 'claimed'));
        UPDATE todo_link SET basis = 'made' WHERE todo IN (
            SELECT CAST(kind AS TEXT) ->> '$.createTodo._0.id' FROM step
            WHERE verb = 'createTodo' AND json_valid(CAST(kind AS TEXT)));
        -- When the file of the open task was found to be gone.
        ALTER TABLE todo_link ADD COLUMN vanished_at INTEGER;
        CREATE INDEX todo_link_vanished ON todo_link(message) WHERE vanished_at IS NOT NULL;

        -- Mail that a task file names and opus did not link: whether the person was told, and what they answered.
        CREATE TABLE task_claim (
            todo TEXT NOT NULL,
            -- An EmailID.
            message TEXT NOT NULL,
            answer TEXT NOT NULL CHECK (answer IN ('open', 'no')),
            PRIMARY KEY (todo, message)
        ) STRICT, WITHOUT ROWID;

        """
}
