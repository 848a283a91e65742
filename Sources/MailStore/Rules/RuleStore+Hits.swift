// How often rules matched. The journal counts its steps; for rules that only keep or report a message, opus
// writes a note.
//
// A message counts once for each rule. The note does not stop the rule from matching the message again; a
// second match writes nothing.

import GRDB
public import Models

/// How often a rule acted since a given time.
public struct RuleHits: Hashable, Sendable {
    /// Messages that the rule changed, kept or reported.
    public var messages = 0
    public var last: Timestamp?

    public init() {}
}

extension RuleStore {
    /// Notes matches of rules that leave no step. Writes nothing if all of them are already noted.
    public func noteHits(
        _ hits: [RuleHit], account: AccountID, at now: Timestamp
    ) throws(MailStoreError) {
        guard !hits.isEmpty else { return }
        try file.writing { db in
            try Self.note(db, hits, account: db.requireAccountRow(account), at: now)
        }
    }

    static func note(_ db: Database, _ hits: [RuleHit], account: Int64, at now: Timestamp) throws {
        let statement = try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO rule_hit (account, rule, message, at) VALUES (?, ?, ?, ?)")
        for hit in hits {
            try statement.execute(
                arguments: [account, Packed.text(hit.rule), hit.message.rawValue, now.seconds])
        }
    }

    /// Messages on which each rule acted, in runs since `since`. Only completed steps count.
    public func ruleHits(account: AccountID?, since: Timestamp?) throws(MailStoreError) -> [String: RuleHits]
    {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT rule, count(DISTINCT message), max(at) FROM (
                        SELECT step.rule AS rule, step.message AS message, run.started_at AS at
                        FROM step JOIN run ON run.id = step.run
                        WHERE step.state = 'confirmed' AND step.cause = 'rule' AND step.message IS NOT NULL
                            AND (?1 IS NULL OR step.account = (SELECT id FROM account WHERE name = ?1))
                            AND run.started_at >= coalesce(?2, 0)
                        UNION ALL
                        SELECT rule, message, at FROM rule_hit
                        WHERE (?1 IS NULL OR account = (SELECT id FROM account WHERE name = ?1))
                            AND at >= coalesce(?2, 0)
                    )
                    GROUP BY rule
                    """, arguments: [account?.rawValue, since?.seconds])
            var hits: [String: RuleHits] = [:]
            while let row = try rows.next() {
                var hit = RuleHits()
                hit.messages = row[1]
                hit.last = row.time(2)
                hits[row[0]] = hit
            }
            return hits
        }
    }
}
