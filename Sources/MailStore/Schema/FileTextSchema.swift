/// The text of attached files, as extracted by another program (`attachment-text` in opus.yaml).

enum FileTextSchema {
    static let sql = """
        -- A message whose files were read has a row, even where they hold no text. `text` is packed (`PackedContent`).
        CREATE TABLE file_text (
            message INTEGER PRIMARY KEY REFERENCES message(id),
            text BLOB NOT NULL,
            -- Files that could not be read.
            unread INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX message_with_files ON message(account, id) WHERE attachments <> '';

        -- `IndexedText` of these texts, as `search` has those of messages.
        CREATE VIRTUAL TABLE file_search USING fts5(
            text,
            content = '', columnsize = 0,
            tokenize = "unicode61 remove_diacritics 2 categories 'L* N*'"
        );
        """
}
