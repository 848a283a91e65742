/// Searches for parts of words ignore accents, so the list of words also has each word without them.
enum PlainWordSchema {
    static let sql = """
        CREATE TEMP TABLE last_word AS SELECT coalesce(max(id), 0) AS id FROM word;
        INSERT OR IGNORE INTO word (word)
            SELECT opus_plain(word) FROM word WHERE length(word) <> length(CAST(word AS BLOB)) AND opus_plain(word) <> word;
        INSERT INTO word_part (rowid, word) SELECT id, word FROM word WHERE id > (SELECT id FROM temp.last_word);
        DROP TABLE temp.last_word;
        """
}
