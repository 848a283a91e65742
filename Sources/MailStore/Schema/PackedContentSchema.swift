/// Headers and texts are deflated. The view has the name and the columns of the table that it replaces.

enum PackedContentSchema {
    static let sql = """
        -- `PackedContent`.
        CREATE TABLE packed_content (
            message INTEGER PRIMARY KEY REFERENCES message(id),
            headers BLOB NOT NULL,
            text BLOB NOT NULL
        ) STRICT;
        INSERT INTO packed_content (message, headers, text)
            SELECT message, opus_pack(headers), opus_pack(text) FROM content;
        DROP TABLE content;
        CREATE VIEW content AS
            SELECT message, opus_unpack(headers) AS headers, opus_unpack_text(text) AS text FROM packed_content;
        """
}
