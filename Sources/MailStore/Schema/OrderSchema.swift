/// Command mailboxes: which of them opus created, and where a message was before it became an order.

enum OrderSchema {
    static let sql = """
        CREATE TABLE command_mailbox (
            account INTEGER NOT NULL REFERENCES account(id),
            name BLOB NOT NULL,
            PRIMARY KEY (account, name)
        ) STRICT, WITHOUT ROWID;

        -- The mailbox that a message left last, command mailboxes excepted.
        CREATE TABLE order_origin (
            message INTEGER PRIMARY KEY REFERENCES message(id) ON DELETE CASCADE,
            mailbox INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE
        ) STRICT;
        CREATE INDEX order_origin_mailbox ON order_origin(mailbox);

        -- Where a message goes back to when its order is undone, by its place in the command mailbox.
        CREATE TABLE order_home (
            account INTEGER NOT NULL REFERENCES account(id),
            mailbox BLOB NOT NULL,
            uid_validity INTEGER NOT NULL,
            uid INTEGER NOT NULL,
            home BLOB NOT NULL,
            PRIMARY KEY (account, mailbox, uid_validity, uid)
        ) STRICT, WITHOUT ROWID;

        -- A sync takes the old place of a message away and adds the new one, in any order.
        CREATE TRIGGER order_origin AFTER DELETE ON placement
        WHEN EXISTS (SELECT 1 FROM command_mailbox)
            AND OLD.mailbox NOT IN (
                SELECT mailbox.id FROM mailbox
                JOIN command_mailbox USING (account, name))
        BEGIN
            INSERT OR REPLACE INTO order_origin (message, mailbox) VALUES (OLD.message, OLD.mailbox);
        END;
        """
}
