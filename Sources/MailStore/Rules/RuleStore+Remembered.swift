import GRDB
public import Models

/// What rules have done once and may not do again, asked for the messages that somebody looks at: the store remembers every
/// message that ever was.
extension RuleStore {
    /// The rules that acted on each of these messages; those on which none did are left out.
    public func rememberedMatches(
        account: AccountID, of messages: FactSelection
    ) throws(MailStoreError) -> [EmailID: Set<String>] {
        try file.reading { db in
            let (condition, wanted) = try messages.condition()
            let present = try db.allMailboxes().filter { messages.takes($0.value) }.keys
            let statement = try db.cachedStatement(
                sql: wanted == nil ? Self.rememberedOfMailboxes : Self.rememberedOfMessages(condition))
            let rows = try Row.fetchCursor(
                statement, arguments: [account.rawValue, wanted ?? JSONList.of(present)])
            var rules: [EmailID: Set<String>] = [:]
            while let row = try rows.next() { rules[EmailID(rawValue: row[1]), default: []].insert(row[0]) }
            return rules
        }
    }

    /// CROSS JOIN keeps the order: the messages first, and of each what is remembered.
    private static func rememberedOfMessages(_ condition: String) -> String {
        """
        SELECT rule, email_id FROM message CROSS JOIN remembered ON remembered.message = message.id
        WHERE remembered.account = (SELECT id FROM account WHERE name = ?1) \(condition)
        """
    }

    /// As facts are selected: what is shown where it stands, and what open steps will have moved here.
    private static let rememberedOfMailboxes = """
        SELECT rule, email_id FROM (
            SELECT message FROM placement
            WHERE mailbox IN (SELECT value FROM json_each(?2)) AND shown_mailbox IS NULL
            UNION ALL
            SELECT message FROM placement WHERE shown_mailbox IN (SELECT value FROM json_each(?2))
        ) AS wanted
        CROSS JOIN remembered ON remembered.message = wanted.message
        CROSS JOIN message ON message.id = remembered.message
        WHERE remembered.account = (SELECT id FROM account WHERE name = ?1)
        """
}
