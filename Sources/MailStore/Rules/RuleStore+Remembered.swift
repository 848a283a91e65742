import GRDB
public import Models

/// What rules have done once and may not do again. Reads only the requested messages, because the store
/// remembers every message that it ever held.
extension RuleStore {
    /// Remembers matches that leave no step.
    public func remember(_ matches: [RememberedMatch], account: AccountID) throws(MailStoreError) {
        guard !matches.isEmpty else { return }
        try file.writing { db in
            try JournalStore.remember(db, matches, account: db.requireAccountRow(account))
        }
    }

    /// The rules that acted on each of these messages. Messages on which no rule acted are left out.
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

    /// CROSS JOIN keeps the order: the messages first, then the remembered matches of each.
    private static func rememberedOfMessages(_ condition: String) -> String {
        """
        SELECT rule, email_id FROM message CROSS JOIN remembered ON remembered.message = message.id
        WHERE remembered.account = (SELECT id FROM account WHERE name = ?1) \(condition)
        """
    }

    /// Selects as for facts: places that are shown in their own mailbox, and places that open steps move here.
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
