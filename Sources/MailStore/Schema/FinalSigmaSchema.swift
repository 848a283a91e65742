/// Greek writes `σ` as `ς` at the end of a word. Conditions compare both as `σ`, so the list of words also has each word with
/// `σ`.
enum FinalSigmaSchema {
    static let sql = """
        CREATE TEMP TABLE last_word AS SELECT coalesce(max(id), 0) AS id FROM word;
        INSERT OR IGNORE INTO word (word)
            SELECT replace(word, char(962), char(963)) FROM word WHERE instr(word, char(962)) > 0;
        INSERT INTO word_part (rowid, word) SELECT id, word FROM word WHERE id > (SELECT id FROM temp.last_word);
        DROP TABLE temp.last_word;
        """
}
