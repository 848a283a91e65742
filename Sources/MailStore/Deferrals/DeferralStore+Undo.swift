import GRDB
public import Models

/// Until when messages waited that a move took away: undo gives them the same date again.
extension DeferralStore {
    /// Notes the dates of the messages that these steps move, as long as they have one.
    static func noteEnd(_ db: Database, of steps: [Step]) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO ended_deferral (step, until)
                SELECT ?, until FROM deferral JOIN message ON message.id = deferral.message WHERE email_id = ?
                """)
        for step in steps {
            guard case .move = step.kind, let id = step.id, let message = step.message else { continue }
            try statement.execute(arguments: [id, message.rawValue])
        }
    }

    /// Until when the message of each step waited before the step, by row in the journal. A step whose message did not
    /// wait is left out.
    public func before(_ steps: [Int64]) throws(MailStoreError) -> [Int64: DeferredUntil] {
        try file.reading { db in
            let statement = try db.cachedStatement(sql: "SELECT until FROM ended_deferral WHERE step = ?")
            var found: [Int64: DeferredUntil] = [:]
            for step in steps {
                guard let row = try Row.fetchOne(statement, arguments: [step]) else { continue }
                found[step] = (row[0] as Int64?).map { .time(Timestamp(seconds: $0)) } ?? .someday
            }
            return found
        }
    }
}
