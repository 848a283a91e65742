import GRDB
public import Models

extension SenderStore {
    /// The senders of the account's mail, sorted by the number of messages. Mail of the user, junk and trash
    /// do not count.
    public func volumes(
        account: AccountID, since: Timestamp = Timestamp(seconds: 0)
    ) throws(MailStoreError) -> [SenderVolume] {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT email_id, addresses, received, max(flags & ?1 <> 0) FROM message
                    JOIN placement ON placement.message = message.id
                    JOIN mailbox ON mailbox.id = placement.mailbox
                    WHERE message.account = (SELECT id FROM account WHERE name = ?2) AND received > ?3
                        AND coalesce(role, '') NOT IN ('sent', 'drafts', 'junk', 'trash')
                    GROUP BY message.id ORDER BY received, message.id
                    """, arguments: [Packed.flags([.seen]), account.rawValue, since.seconds])
            var found: [String: SenderVolume] = [:]
            while let row = try rows.next() {
                let addresses: Packed.Addresses = Packed.addresses(row[1] as String)
                guard let address = addresses.from.first else { continue }
                let (id, at) = (EmailID(rawValue: row[0]), Timestamp(seconds: row[2]))
                var volume =
                    found[address.comparable] ?? SenderVolume(address: address, newest: id, newestAt: at)
                volume.address = address
                (volume.newest, volume.newestAt) = (id, at)
                volume.messages += 1
                if row[3] as Bool {
                    volume.read += 1
                    volume.lastRead = at
                }
                found[address.comparable] = volume
            }
            return found.sorted { ($1.value.messages, $0.key) < ($0.value.messages, $1.key) }.map(\.value)
        }
    }

    /// The mail that these addresses wrote, or that went to them, by address, in the order of arrival. Mail of the user,
    /// junk and trash do not count.
    ///
    /// `addresses`: in the form of ``EmailAddress/comparable``.
    public func mail(
        fromOrTo addresses: Set<String>, account: AccountID, since: Timestamp
    ) throws(MailStoreError) -> [String: [(message: EmailID, at: Timestamp)]] {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT email_id, addresses, received FROM message
                    WHERE account = (SELECT id FROM account WHERE name = ?1) AND received > ?2
                        AND EXISTS (
                            SELECT 1 FROM placement JOIN mailbox ON mailbox.id = placement.mailbox
                            WHERE placement.message = message.id
                                AND coalesce(role, '') NOT IN ('sent', 'drafts', 'junk', 'trash'))
                    ORDER BY received, message.id
                    """, arguments: [account.rawValue, since.seconds])
            var found: [String: [(message: EmailID, at: Timestamp)]] = [:]
            while let row = try rows.next() {
                let people: Packed.Addresses = Packed.addresses(row[1] as String)
                let named = Set((people.from.prefix(1) + people.to + people.cc).map(\.comparable))
                for address in named.intersection(addresses) {
                    found[address, default: []].append(
                        (EmailID(rawValue: row[0]), Timestamp(seconds: row[2])))
                }
            }
            return found
        }
    }

    public func note(_ unsubscription: Unsubscription) throws(MailStoreError) {
        try file.writing { db in try Self.write(db, unsubscription) }
    }

    /// Notes a request that begins now, unless one by another process is newer than `limit`: two processes never send
    /// two requests. `limit`: nil: notes it in any case.
    ///
    /// - Returns: What was noted before, and whether the new request is noted now.
    public func begin(
        _ request: Unsubscription, unlessSince limit: Timestamp?
    ) throws(MailStoreError) -> (earlier: Unsubscription?, isNoted: Bool) {
        try file.writing { db in
            let earlier = try Self.unsubscriptions(db, of: request.account).last {
                $0.sender == request.sender
            }
            if let limit, let earlier, earlier.mail == nil, earlier.at > limit { return (earlier, false) }
            try Self.write(db, request)
            return (earlier, true)
        }
    }

    private static func write(_ db: Database, _ unsubscription: Unsubscription) throws {
        try db.execute(
            sql:
                "INSERT OR REPLACE INTO unsubscription (account, sender, at, way, mail) VALUES (?, ?, ?, ?, ?)",
            arguments: [
                db.requireAccountRow(unsubscription.account), unsubscription.sender,
                unsubscription.at.seconds,
                unsubscription.way, unsubscription.mail.map { Packed.text($0.rawValue) },
            ])
    }

    public func forgetUnsubscription(from sender: String, account: AccountID) throws(MailStoreError) {
        try file.writing { db in
            try db.execute(
                sql:
                    "DELETE FROM unsubscription WHERE account = (SELECT id FROM account WHERE name = ?) AND sender = ?",
                arguments: [account.rawValue, sender])
        }
    }

    /// The earliest first.
    public func unsubscriptions(of account: AccountID) throws(MailStoreError) -> [Unsubscription] {
        try file.reading { db in try Self.unsubscriptions(db, of: account) }
    }

    private static func unsubscriptions(_ db: Database, of account: AccountID) throws -> [Unsubscription] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT sender, at, way, mail FROM unsubscription
                WHERE account = (SELECT id FROM account WHERE name = ?) ORDER BY at, sender
                """, arguments: [account.rawValue]
        ).map {
            Unsubscription(
                account: account, sender: $0[0], at: Timestamp(seconds: $0[1]), way: $0[2],
                mail: ($0[3] as String?).map { MessageID($0) })
        }
    }
}
