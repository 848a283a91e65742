// Checks whether each place still has the stored message: compares what the account reports for a place with
// the expected values.

import Foundation
import GRDB
public import Models

/// What the account is expected to report for a place.
public struct PlaceWitness: Hashable, Sendable {
    /// Octets.
    public var size: Int?
    public var received: Timestamp?
    /// See ``NewMessage/remoteID``.
    public var remoteID: String?
    /// Of the message that is stored for this place.
    public var headerDigest: String
    public var messageSize: Int

    public init(
        size: Int?, received: Timestamp?, remoteID: String? = nil, headerDigest: String, messageSize: Int
    ) {
        self.size = size
        self.received = received
        self.remoteID = remoteID
        self.headerDigest = headerDigest
        self.messageSize = messageSize
    }
}

/// What the account reported for a place whose header was compared.
public struct SeenPlace: Hashable, Sendable {
    public var uid: UInt32
    public var size: Int?
    public var received: Timestamp?

    public init(uid: UInt32, size: Int?, received: Timestamp?) {
        self.uid = uid
        self.size = size
        self.received = received
    }
}

extension SyncStore {
    /// The witnesses of all places in the mailbox, by UID.
    public func witnesses(
        of account: AccountID, mailbox: MailboxName
    ) throws(MailStoreError) -> [UInt32: PlaceWitness] {
        try file.reading { db in
            guard let row = try db.accountRow(account).flatMap({ try db.mailboxRow(mailbox, account: $0) })
            else { return [:] }
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT placement.uid, coalesce(place_witness.size, message.size),
                        coalesce(place_witness.received, message.received), remote_id, header_digest, message.size
                    FROM placement JOIN message ON message.id = placement.message
                    LEFT JOIN place_witness
                        ON place_witness.mailbox = placement.mailbox AND place_witness.uid = placement.uid
                    WHERE placement.mailbox = ?
                    """, arguments: [row.id])
            var found: [UInt32: PlaceWitness] = [:]
            while let row = try rows.next() {
                guard let uid = row.uid32(0) else { continue }
                found[uid] = PlaceWitness(
                    size: row[1], received: row.time(2), remoteID: row[3], headerDigest: row[4],
                    messageSize: row[5])
            }
            return found
        }
    }

    /// When the places of the mailbox were last compared with their messages; nil: a comparison is due.
    public func identifiedAt(
        of account: AccountID, mailbox: MailboxName
    ) throws(MailStoreError) -> Timestamp? {
        try file.reading { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT identified_at FROM mailbox
                    WHERE name = ? AND account = (SELECT id FROM account WHERE name = ?)
                    """, arguments: [Data(mailbox.bytes), account.rawValue])?.time(0)
        }
    }

    /// Notes that the places of the mailbox have the stored messages. `seen`: places for which the account
    /// reports a size or date that differs from the message's own.
    public func noteIdentified(
        _ mailbox: MailboxName, of account: AccountID, seen: [SeenPlace], at time: Timestamp
    ) throws(MailStoreError) {
        try file.writing { db in
            guard let row = try db.accountRow(account).flatMap({ try db.mailboxRow(mailbox, account: $0) })
            else { return }
            try db.execute(
                sql: """
                    DELETE FROM place_witness WHERE mailbox = ?1
                        AND uid NOT IN (SELECT uid FROM placement WHERE mailbox = ?1)
                    """, arguments: [row.id])
            let statement = try db.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO place_witness (mailbox, uid, size, received) VALUES (?, ?, ?, ?)
                    """)
            for place in seen {
                try statement.execute(
                    arguments: [row.id, Int64(place.uid), place.size, place.received?.seconds])
            }
            try db.execute(
                sql: "UPDATE mailbox SET identified_at = ? WHERE id = ?", arguments: [time.seconds, row.id])
        }
    }

    /// A place of the mailbox has an unexpected message: the next sync compares every place with its message.
    public func doubt(_ mailbox: MailboxName, of account: AccountID) throws(MailStoreError) {
        try file.writing { db in
            try db.execute(
                sql: """
                    UPDATE mailbox SET identified_at = NULL, compared_at = NULL
                    WHERE name = ? AND account = (SELECT id FROM account WHERE name = ?)
                    """, arguments: [Data(mailbox.bytes), account.rawValue])
        }
    }
}
