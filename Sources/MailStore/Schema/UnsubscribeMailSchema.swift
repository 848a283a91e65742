/// The mail that unsubscribes: it counts from the time when it was sent.

enum UnsubscribeMailSchema {
    static let sql = """
        -- Its Message-ID; NULL: no mail was needed, or it was sent before opus noted the mail.
        ALTER TABLE unsubscription ADD COLUMN mail TEXT;
        """
}
