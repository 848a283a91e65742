/// The event in the calendar part of a message.

extension Schema {
    static let events = """
        -- `EventFacts`, packed; '': it has no calendar part, or it came before opus read them.
        ALTER TABLE message ADD COLUMN event TEXT NOT NULL DEFAULT '';
        CREATE INDEX message_event ON message(account) WHERE event <> '';

        """
}
