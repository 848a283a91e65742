import GRDB
public import Models

/// The due dates of deferred messages that opus moved. Undo restores them.
extension DeferralStore {
    /// Notes the due dates of the deferred messages that these steps move.
    static func noteEnd(_ db: Database, of steps: [Step]) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO ended_deferral (step, until, set_at)
                SELECT ?, until, set_at FROM deferral JOIN message ON message.id = deferral.message WHERE email_id = ?
                """)
        for step in steps {
            guard case .move = step.kind, let id = step.id, let message = step.message else { continue }
            try statement.execute(arguments: [id, message.rawValue])
        }
    }

    /// The move of a deferred message was refused: it is deferred as before. If it was to come back, opus tries again an hour
    /// later, and not with each round of a watch.
    static func restore(_ db: Database, _ step: Step) throws {
        guard case .move = step.kind, let id = step.id, let message = step.message else { return }
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT ended_deferral.until, run.started_at, step.account
                FROM ended_deferral JOIN step ON step.id = ended_deferral.step JOIN run ON run.id = step.run
                WHERE step.id = ? AND NOT EXISTS (SELECT 1 FROM deferral
                    JOIN message ON message.id = deferral.message WHERE email_id = ?)
                """, arguments: [id, message.rawValue])
        guard let row else { return }
        let began = Timestamp(seconds: row[1])
        var until = (row[0] as Int64?).map { DeferredUntil.time(Timestamp(seconds: $0)) } ?? .someday
        if step.cause == .deferral { until = .time(Timestamp(seconds: began.seconds + waitAfterRefusal)) }
        try set(db, message, account: row[2], until: until, at: began)
    }

    /// In seconds.
    private static let waitAfterRefusal: Int64 = 3_600

    /// The due date that the message of each step had before the step, by row in the journal. Steps whose
    /// message was not deferred are left out.
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
