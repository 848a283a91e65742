import GRDB
public import Models

/// Messages: finding them by the beginning of an id, their places, contents and facts.
public struct MessageStore: Sendable {
    let file: StoreFile

    /// The messages whose ids begin with this text, sorted by id; at most ten. Case does not matter.
    public func resolve(prefix: String) throws(MailStoreError) -> [EmailID] {
        let prefix = prefix.lowercased()
        let isID = prefix.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
        }
        guard isID, !prefix.isEmpty, prefix.utf8.count <= 128 else { return [] }
        return try file.reading { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT email_id FROM message WHERE email_id >= ? AND email_id < ?
                    ORDER BY email_id LIMIT 10
                    """, arguments: [prefix, prefix + "\u{10FFFF}"]
            ).map { EmailID(rawValue: $0) }
        }
    }

    /// For each id, the shortest unique prefix of four characters or more.
    public func shortPrefix(of ids: [EmailID]) throws(MailStoreError) -> [EmailID: String] {
        try file.reading { db in
            let rows = try Int.fetchOne(db, sql: "SELECT max(id) FROM message") ?? 0
            let isMost = ids.count > rows / Self.rowsOfLookup
            return isMost ? try Self.prefixesOfAll(db, ids) : try Self.prefixes(db, ids)
        }
    }

    /// Scanning this many rows takes as long as one look-up by id.
    private static let rowsOfLookup = 64

    private static func prefixes(_ db: Database, _ ids: [EmailID]) throws -> [EmailID: String] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT wanted.value, (SELECT max(email_id) FROM message WHERE email_id < wanted.value),
                    (SELECT min(email_id) FROM message WHERE email_id > wanted.value)
                FROM json_each(?1) AS wanted
                """)
        let rows = try Row.fetchCursor(statement, arguments: [JSONList.of(ids.map(\.rawValue))])
        let raw = RawRow(statement: statement.sqliteStatement)
        var prefixes: [EmailID: String] = [:]
        prefixes.reserveCapacity(ids.count)
        while try rows.next() != nil {
            let id = raw.text(0)
            let shared = [1, 2].map { raw.isNull($0) ? 0 : sharedLength(raw.text($0).utf8, id.utf8) }
            prefixes[EmailID(rawValue: id)] = prefix(id, shared.max() ?? 0)
        }
        return prefixes
    }

    /// One scan of the index compares each id with its neighbours.
    private static func prefixesOfAll(_ db: Database, _ ids: [EmailID]) throws -> [EmailID: String] {
        let wanted = Set(ids)
        let statement = try db.cachedStatement(sql: "SELECT email_id FROM message ORDER BY email_id")
        let rows = try Row.fetchCursor(statement)
        let raw = RawRow(statement: statement.sqliteStatement)
        var prefixes: [EmailID: String] = [:]
        prefixes.reserveCapacity(wanted.count)
        var last = ""
        var sharedBefore = 0
        while try rows.next() != nil {
            let next = raw.text(0)
            let shared = sharedLength(last.utf8, next.utf8)
            let id = EmailID(rawValue: last)
            if wanted.contains(id) { prefixes[id] = prefix(last, max(sharedBefore, shared)) }
            (last, sharedBefore) = (next, shared)
        }
        let id = EmailID(rawValue: last)
        if wanted.contains(id) { prefixes[id] = prefix(last, sharedBefore) }
        let strangers = ids.filter { prefixes[$0] == nil }
        return try prefixes.merging(Self.prefixes(db, strangers)) { own, _ in own }
    }

    private static func prefix(_ id: String, _ shared: Int) -> String {
        String(decoding: id.utf8.prefix(max(4, shared + 1)), as: UTF8.self)
    }

    private static func sharedLength(_ a: String.UTF8View, _ b: String.UTF8View) -> Int {
        zip(a, b).prefix { $0 == $1 }.count
    }

    /// A message with that `Message-ID`. If several have it: one that is still in a mailbox, and of these the
    /// one that was stored first.
    public func message(
        with messageID: MessageID, account: AccountID
    ) throws(MailStoreError) -> EmailID? {
        try file.reading { db in
            try String.fetchOne(
                db,
                sql: """
                    SELECT email_id FROM message
                    WHERE message_id = ?2 AND +account = (SELECT id FROM account WHERE name = ?1)
                    ORDER BY EXISTS (SELECT 1 FROM placement WHERE placement.message = message.id) DESC, message.id
                    LIMIT 1
                    """, arguments: [account.rawValue, messageID.rawValue]
            ).map { EmailID(rawValue: $0) }
        }
    }

    /// All messages with that `Message-ID`, oldest first; at most a hundred.
    public func messages(
        with messageID: MessageID, account: AccountID
    ) throws(MailStoreError) -> [EmailID] {
        try file.reading { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT email_id FROM message
                    WHERE message_id = ?2 AND +account = (SELECT id FROM account WHERE name = ?1)
                    ORDER BY received, message.id LIMIT 100
                    """, arguments: [account.rawValue, messageID.rawValue]
            ).map { EmailID(rawValue: $0) }
        }
    }

    public func detail(of id: EmailID) throws(MailStoreError) -> StoredMessage? {
        try file.reading { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT message.id, account.name, fingerprint, thread, message_id, subject, addresses, sent,
                        received, size, attachments, is_truncated, headers, text, exceeded_limits,
                        remote_id, signed, body_digest, coalesce(conversation, thread)
                    FROM message JOIN account ON account.id = message.account
                    JOIN content ON content.message = message.id
                    WHERE email_id = ?
                    """, arguments: [id.rawValue])
            guard let row else { return nil }
            let addresses: Packed.Addresses = Packed.addresses(row[6] as String)
            return StoredMessage(
                id: id, account: AccountID(row[1]), fingerprint: row[2],
                body: (row[17] as String?).map { BodyDigest(packed: $0) }, thread: ThreadID(rawValue: row[3]),
                conversation: ThreadID(rawValue: row[18]),
                messageID: (row[4] as String?).map { MessageID($0) }, subject: row[5], from: addresses.from,
                sender: addresses.sender, replyTo: addresses.replyTo, to: addresses.to, cc: addresses.cc,
                bcc: addresses.bcc, sent: row.time(7), received: row.time(8) ?? Timestamp(seconds: 0),
                size: row[9], headerBlock: row.bytes(12), text: row[13],
                attachments: Packed.attachments(row[10] as String), isTruncated: row[11],
                exceededLimits: Packed.words(row[14] as String), remoteID: row[15],
                signature: Packed.signature(row[16] as String),
                places: try Self.places(db, id, row[0], asShown: true))
        }
    }

    /// The places of the message on the server, without its content and without the effects of open steps.
    public func places(of id: EmailID) throws(MailStoreError) -> [MessagePlace] {
        try file.reading { db in
            guard let message = try db.messageRow(id) else { return [] }
            return try Self.places(db, id, message, asShown: false)
        }
    }

    private static func places(
        _ db: Database, _ id: EmailID, _ message: Int64, asShown: Bool
    ) throws -> [MessagePlace] {
        let mailboxes = try db.allMailboxes()
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT mailbox, uid, flags, keywords, remote_name, shown_mailbox, shown_flags, shown_keywords
                FROM placement WHERE message = ? ORDER BY mailbox, uid
                """, arguments: [message])
        return rows.compactMap { row in
            guard let known = mailboxes[row[0]] else { return nil }
            var place = MessagePlace(
                message: id, key: known.key(uid: row.uid32(1) ?? 0), mailbox: known.mailbox,
                isMissing: known.isMissing,
                flags: Packed.flags(row[2] as Int64), keywords: Packed.keywords(row[3] as String),
                remoteName: row[4])
            guard asShown else { return place }
            if let shown = (row[5] as Int64?).flatMap({ mailboxes[$0] }) { place.mailbox = shown.mailbox }
            if let flags = row[6] as Int64? { place.flags = Packed.flags(flags) }
            if let keywords = row[7] as String? { place.keywords = Packed.keywords(keywords) }
            return place
        }
    }
}
