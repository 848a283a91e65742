/// What identifies a message: its header without the fields that servers write, and its body.

extension Schema {
    static let contentIdentity = """
        -- SHA-256 of the header block as it is compared, hex. '': it has fields that servers rewrite, and was computed with
        -- them; the next sync computes it anew.
        ALTER TABLE message ADD COLUMN header_digest TEXT NOT NULL DEFAULT '';
        -- `BodyDigest`; NULL: the message came before bodies were compared.
        ALTER TABLE message ADD COLUMN body_digest TEXT;
        UPDATE message SET header_digest = fingerprint;
        UPDATE message SET header_digest = '' WHERE id IN (
            SELECT message FROM (SELECT message, char(10) || CAST(headers AS TEXT) AS block FROM content)
            WHERE block LIKE '%' || char(10) || 'status%' OR block LIKE '%' || char(10) || 'x-status%'
                OR block LIKE '%' || char(10) || 'x-uid%' OR block LIKE '%' || char(10) || 'x-imap%'
                OR block LIKE '%' || char(10) || 'x-keywords%'
                OR block LIKE '%' || char(10) || 'content-length%');
        CREATE INDEX message_header ON message(account, header_digest);

        -- When places were last compared with the messages in them; NULL: it is due.
        ALTER TABLE mailbox ADD COLUMN identified_at INTEGER;

        -- The size and the time that the account tells of a place whose header was compared and is right, where they are
        -- not those of the message: servers may change both when they copy.
        CREATE TABLE place_witness (
            mailbox INTEGER NOT NULL REFERENCES mailbox(id),
            uid INTEGER NOT NULL,
            size INTEGER,
            received INTEGER,
            PRIMARY KEY (mailbox, uid)
        ) STRICT, WITHOUT ROWID;
        """
}
