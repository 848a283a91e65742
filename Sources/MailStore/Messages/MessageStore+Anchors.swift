// Identifies a message right before opus changes it. Reads many messages at once, and only the columns for
// the check.

import GRDB
public import Models

/// The stored values that distinguish a message from every other message.
public struct MessageAnchor: Hashable, Sendable {
    public var headerBlock: [UInt8]
    public var messageID: MessageID?
    /// See ``NewMessage/remoteID``.
    public var remoteID: String?
    public var received: Timestamp
    /// Octets.
    public var size: Int
    /// nil: it was stored before opus compared bodies.
    public var body: BodyDigest?
    /// Its places in the requested mailbox, by UID.
    public var places: [Target]
}

extension MessageStore {
    /// Messages that are not in the store are left out.
    public func anchors(
        of ids: [EmailID], in mailbox: MailboxName, account: AccountID
    ) throws(MailStoreError) -> [EmailID: MessageAnchor] {
        try file.reading { db in
            let row = try db.accountRow(account).flatMap { try db.mailboxRow(mailbox, account: $0) }
            let statement = try db.cachedStatement(
                sql: """
                    SELECT email_id, headers, message_id, remote_id, received, size, uid, remote_name, body_digest
                    FROM message JOIN content ON content.message = message.id
                    LEFT JOIN placement ON placement.message = message.id AND placement.mailbox = ?1
                    WHERE email_id IN (SELECT value FROM json_each(?2))
                    """)
            let rows = try Row.fetchCursor(
                statement, arguments: [row?.id, try JSONList.of(ids.map(\.rawValue))])
            let raw = RawRow(statement: statement.sqliteStatement)
            var anchors: [EmailID: MessageAnchor] = [:]
            anchors.reserveCapacity(ids.count)
            while try rows.next() != nil {
                let id = EmailID(rawValue: raw.text(0))
                var anchor = anchors[id] ?? Self.anchor(raw)
                if !raw.isNull(6) {
                    anchor.places.append(
                        Target(
                            uid: UInt32(truncatingIfNeeded: raw.int(6)),
                            remoteName: raw.isNull(7) ? nil : raw.text(7)))
                    anchor.places.sort { $0.uid < $1.uid }
                }
                anchors[id] = anchor
            }
            return anchors
        }
    }

    private static func anchor(_ row: RawRow) -> MessageAnchor {
        MessageAnchor(
            headerBlock: Array(row.bytes(1)), messageID: row.isNull(2) ? nil : MessageID(row.text(2)),
            remoteID: row.isNull(3) ? nil : row.text(3), received: Timestamp(seconds: row.int(4)),
            size: Int(row.int(5)),
            body: row.isNull(8) ? nil : BodyDigest(packed: row.text(8)), places: [])
    }
}
