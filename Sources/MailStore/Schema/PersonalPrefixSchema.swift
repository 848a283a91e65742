/// What the server puts before the names of the user's own mailboxes.
enum PersonalPrefixSchema {
    static let sql = """
        -- Such as 'Mail/'; NULL: nothing, or not known.
        ALTER TABLE mailbox ADD COLUMN personal_prefix TEXT;
        """
}
