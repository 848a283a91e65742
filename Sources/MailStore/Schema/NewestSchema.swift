/// Finds the newest messages of a mailbox without reading the others: each place stores the time of its
/// message.
enum NewestSchema {
    static let sql = """
        -- `MessageFacts.date` of the message.
        ALTER TABLE placement ADD COLUMN judged INTEGER;
        UPDATE placement SET judged = (SELECT coalesce(sent, received) FROM message WHERE id = placement.message);
        CREATE INDEX placement_newest ON placement(mailbox, judged);
        """
}
