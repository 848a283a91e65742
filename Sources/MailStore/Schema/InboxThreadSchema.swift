/// The threads of the inbox are counted from the index alone: without `in_inbox` in it, SQLite looked up the row of each.
enum InboxThreadSchema {
    static let sql = """
        DROP INDEX IF EXISTS thread_row_inbox;
        CREATE INDEX thread_row_inbox ON thread_row(latest, in_inbox) WHERE in_inbox = 1;
        """
}
