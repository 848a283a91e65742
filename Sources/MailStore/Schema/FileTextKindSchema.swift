/// The kinds of attached files that opus could read when it last read files. If a program for another kind
/// is installed later, messages with such files are read again.
enum FileTextKindSchema {
    static let sql = """
        CREATE TABLE file_text_kind (kind TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
        INSERT INTO file_text_kind SELECT value FROM json_each('["pdf", "text"]')
            WHERE EXISTS (SELECT 1 FROM file_text);

        -- 1: the message has a file of a kind that can be read only now.
        ALTER TABLE file_text ADD COLUMN is_due INTEGER NOT NULL DEFAULT 0;
        """
}
