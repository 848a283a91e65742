/// An index with which SQLite counts the threads of the inbox. It contains `in_inbox`, so no row is read.
enum InboxThreadSchema {
    static let sql = """
        DROP INDEX IF EXISTS thread_row_inbox;
        CREATE INDEX thread_row_inbox ON thread_row(latest, in_inbox) WHERE in_inbox = 1;
        """
}
