import Foundation
import GRDB
public import Models

/// Facts for rules beyond the message itself: the open tasks of its conversation, and how much its writer has
/// written.
extension ThreadStore {

    /// The number of messages of each first writer (`EmailAddress.comparable`) in the account, without
    /// drafts. Scans the addresses of all messages; called only if a rule needs it.
    public func messageCounts(
        of writers: Set<String>, account: AccountID
    ) throws(MailStoreError) -> [String: Int] {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT addresses \(Self.mailButDrafts)
                    """, arguments: [account.rawValue, Packed.flags([.draft])])
            var counts: [String: Int] = [:]
            while let row = try rows.next() {
                guard let writer = Packed.firstWriter(row[0] as String), writers.contains(writer) else {
                    continue
                }
                counts[writer, default: 0] += 1
            }
            return counts
        }
    }

    /// When the messages of each first writer (`EmailAddress.comparable`) arrived, the earliest first,
    /// without drafts. nil: of all writers.
    public func arrivals(
        account: AccountID, of writers: Set<String>? = nil
    ) throws(MailStoreError) -> [String: [Timestamp]] {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT addresses, received \(Self.mailButDrafts) ORDER BY received
                    """, arguments: [account.rawValue, Packed.flags([.draft])])
            var arrivals: [String: [Timestamp]] = [:]
            while let row = try rows.next() {
                guard let writer = Packed.firstWriter(row[0] as String), writers?.contains(writer) ?? true
                else { continue }
                arrivals[writer, default: []].append(Timestamp(seconds: row[1]))
            }
            return arrivals
        }
    }

    /// Arguments: the account's name, and the bit of `\\Draft`.
    private static let mailButDrafts = """
        FROM message
        WHERE account = (SELECT id FROM account WHERE name = ?)
            AND EXISTS (SELECT 1 FROM placement WHERE placement.message = message.id AND flags & ? = 0)
        """
}
