import Foundation
import GRDB
public import Models

/// What rules may ask beyond a message: the open tasks of its conversation, and how much its writer has written.
extension MailStore {
    /// What stands in these tasks; those that are done or gone are left out.
    public func openTodos(_ ids: [TodoID]) throws(MailStoreError) -> [TodoID: Todo] {
        try reading { db in
            let statement = try db.cachedStatement(
                sql: "SELECT content FROM todo_file WHERE todo = ? AND is_open = 1")
            var todos: [TodoID: Todo] = [:]
            for id in ids {
                guard let row = try Row.fetchOne(statement, arguments: [id.rawValue]) else { continue }
                todos[id] = try row.withUnsafeData(atIndex: 0) { try TodoRecord.decode($0 ?? Data()) }
            }
            return todos
        }
    }

    /// How many messages of each first writer (`EmailAddress.comparable`) the account holds, drafts left out. One walk
    /// over the addresses of all messages: for rules that ask.
    public func messageCounts(
        of writers: Set<String>, account: AccountID
    ) throws(MailStoreError) -> [String: Int] {
        try reading { db in
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

    /// When each message of each first writer (`EmailAddress.comparable`) came, the earliest first, drafts left out. nil: of
    /// all writers.
    public func arrivals(
        account: AccountID, of writers: Set<String>? = nil
    ) throws(MailStoreError) -> [String: [Timestamp]] {
        try reading { db in
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
