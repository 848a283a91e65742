/// The mail that requests the unsubscription. The request counts from the time when that mail was sent.

enum UnsubscribeMailSchema {
    static let sql = """
        -- Its Message-ID; NULL: no mail was needed, or it was sent before opus noted the mail.
        ALTER TABLE unsubscription ADD COLUMN mail TEXT;
        """
}
