/// The second form of the search index: it holds text in its comparable form, and finds parts of words and
/// Chinese text.
///
/// The index of an older store is not converted: its messages are marked as not indexed, and
/// ``SearchIndex/catchUp(limit:)`` indexes them a few hundred at a time. Until then every one of them is a
/// candidate of a search.
enum SearchSchema {
    static let sql = """
        DROP TABLE search;
        DROP VIEW searchable;

        -- `IndexedText` of the columns of a message; `files` are the names of its attachments. It keeps no copy of the words.
        -- Letters and numbers are words; characters for private use are not.
        CREATE VIRTUAL TABLE search USING fts5(
            subject, addresses, text, files,
            content = '', columnsize = 0,
            tokenize = "unicode61 remove_diacritics 2 categories 'L* N*'"
        );
        INSERT INTO search (search, rank) VALUES ('automerge', 8);
        INSERT INTO search (search, rank) VALUES ('hashsize', 2097152);

        -- Every word of the index, for parts of words and for suggestions. A word stays when its last message goes.
        CREATE TABLE word (
            id INTEGER PRIMARY KEY,
            word TEXT NOT NULL UNIQUE
        ) STRICT;
        CREATE VIRTUAL TABLE word_part USING fts5(
            word,
            content = 'word', content_rowid = 'id', columnsize = 0, detail = none, tokenize = 'trigram'
        );

        -- At most one row: the messages up to this one are not in the index.
        CREATE TABLE unindexed (up_to INTEGER NOT NULL) STRICT;
        INSERT INTO unindexed (up_to) SELECT max(id) FROM message HAVING max(id) IS NOT NULL;

        -- The order of every list of results.
        CREATE INDEX message_date ON message(account, coalesce(sent, received), id);
        """
}
