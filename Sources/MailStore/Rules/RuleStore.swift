import Foundation
import GRDB
public import Models

/// A step that moved a message, with its cause.
public struct JournaledMove: Hashable, Sendable {
    public var step: Int64
    public var run: RunID
    public var at: Timestamp
    public var cause: Step.Cause
    public var message: EmailID
    public var from: MailboxName
    public var to: Mailbox
    /// Undone with `opus undo`.
    public var isUndone: Bool
}

/// What a rule did with a message and the user undid with `opus undo`.
public struct UndoneMatch: Hashable, Sendable {
    public var rule: String
    public var message: EmailID
    /// Digest of the rule's text in that run; nil: not stored.
    public var digest: String?
    /// Whether everything that the rule has done to the message since was undone too.
    public var isLatest: Bool

    public init(rule: String, message: EmailID, digest: String?, isLatest: Bool) {
        self.rule = rule
        self.message = message
        self.digest = digest
        self.isLatest = isLatest
    }
}

/// What rules did, and what happened afterwards: for `opus explain`, `opus rules stats` and `opus rules
/// suggest`.
public struct RuleStore: Sendable {
    let file: StoreFile

    static func note(_ db: Database, _ digests: [String: String], of steps: [Step], run: Int64) throws {
        for rule in Set(steps.compactMap(\.cause.rule)).sorted() {
            guard let digest = digests[rule] else { continue }
            try db.cachedStatement(
                sql: "INSERT OR IGNORE INTO rule_version (run, rule, digest) VALUES (?, ?, ?)"
            ).execute(arguments: [run, Packed.text(rule), digest])
        }
    }

    static func note(_ db: Database, shadowed: [String: Int], run: Int64) throws {
        for (rule, messages) in shadowed.sorted(by: { $0.key < $1.key }) {
            try db.cachedStatement(
                sql: "INSERT INTO rule_shadowed (run, rule, messages) VALUES (?, ?, ?)"
            ).execute(arguments: [run, Packed.text(rule), messages])
        }
    }

    /// SHA-256 of the rule's text in that run; nil: not stored.
    public func ruleDigest(_ rule: String, in run: RunID) throws(MailStoreError) -> String? {
        try file.reading { db in
            try String.fetchOne(
                db, sql: "SELECT digest FROM rule_version WHERE run = ? AND rule = ?",
                arguments: [run.rawValue, rule])
        }
    }

    /// When opus first applied rules; nil: never.
    public func firstRuleRun() throws(MailStoreError) -> Timestamp? {
        try file.reading { db in
            try Int64.fetchOne(db, sql: "SELECT min(started_at) FROM run WHERE origin = 'rules'").map {
                Timestamp(seconds: $0)
            }
        }
    }

    /// Rules with a remembered match, or with a step in the journal, whatever its state.
    public func everMatchedRules() throws(MailStoreError) -> Set<String> {
        try file.reading { db in
            Set(
                try String.fetchAll(
                    db,
                    sql:
                        "SELECT rule FROM remembered UNION SELECT DISTINCT rule FROM step WHERE cause = 'rule'"
                ))
        }
    }

    /// Whether a run of rules ever changed anything in the account.
    public func hasRuleSteps(account: AccountID) throws(MailStoreError) -> Bool {
        try file.reading { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT 1 FROM step INDEXED BY step_rule
                    WHERE cause = 'rule' AND state = 'confirmed'
                        AND account = (SELECT id FROM account WHERE name = ?)
                    LIMIT 1
                    """, arguments: [account.rawValue]) != nil
        }
    }

    /// Messages of these conversations on which the user undid steps of each rule with `opus undo`, with the
    /// digest of the rule's text at that time.
    public func undoneMatches(
        account: AccountID?, in threads: [ThreadID]? = nil
    ) throws(MailStoreError) -> [UndoneMatch] {
        try file.reading { db in
            let (messages, wanted) = try Self.steps(of: threads)
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT DISTINCT step.rule, step.message, digest, NOT EXISTS (
                            SELECT 1 FROM step AS later
                            WHERE later.message = step.message AND later.cause = 'rule' AND later.rule = step.rule
                                AND later.run > step.run AND later.state NOT IN ('rejected', 'cancelled')
                                AND NOT EXISTS (\(Self.effectiveInverse("later"))))
                    FROM \(messages) JOIN step AS inverse ON inverse.undoes = step.id
                        LEFT JOIN rule_version ON rule_version.run = step.run AND rule_version.rule = step.rule
                    WHERE inverse.state NOT IN ('rejected', 'cancelled') AND step.cause = 'rule' AND NOT EXISTS (
                            SELECT 1 FROM step AS again
                            WHERE again.undoes = inverse.id AND again.state NOT IN ('rejected', 'cancelled'))
                        AND step.message IS NOT NULL
                        AND (?1 IS NULL OR step.account = (SELECT id FROM account WHERE name = ?1))
                    """, arguments: wanted.map { [account?.rawValue, $0] } ?? [account?.rawValue])
            var undone: [UndoneMatch] = []
            while let row = try rows.next() {
                undone.append(
                    UndoneMatch(
                        rule: row[0], message: EmailID(rawValue: row[1]), digest: row[2], isLatest: row[3]))
            }
            return undone
        }
    }

    /// A step that undoes this one and was not undone itself.
    static func effectiveInverse(_ step: String) -> String {
        """
        SELECT 1 FROM step AS back WHERE back.undoes = \(step).id AND back.state NOT IN ('rejected', 'cancelled')
            AND NOT EXISTS (SELECT 1 FROM step AS redo WHERE redo.undoes = back.id
                AND redo.state NOT IN ('rejected', 'cancelled'))
        """
    }

    /// The steps of some conversations, as a table for FROM; the conversations are argument 2. CROSS JOIN
    /// keeps the order, because the journal may have more rows than the mailbox.
    private static func steps(of threads: [ThreadID]?) throws -> (from: String, argument: String?) {
        guard let threads else { return ("step", nil) }
        let from = """
            json_each(?2) AS wanted CROSS JOIN message ON message.thread = wanted.value
                CROSS JOIN step ON step.message = message.email_id
            """
        return (from, try JSONList.of(threads.map(\.rawValue)))
    }

    /// Every completed move since `since` in these conversations, oldest first.
    public func moves(
        account: AccountID?, since: Timestamp?, in threads: [ThreadID]? = nil
    ) throws(MailStoreError) -> [JournaledMove] {
        try file.reading { db in
            let (messages, wanted) = try Self.steps(of: threads)
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT step.id, step.run, run.started_at, step.cause, step.rule, step.message, kind,
                        EXISTS (SELECT 1 FROM step AS inverse
                            WHERE inverse.undoes = step.id AND inverse.state NOT IN ('rejected', 'cancelled'))
                    FROM \(messages) JOIN run ON run.id = step.run
                    WHERE step.state = 'confirmed' AND step.message IS NOT NULL AND verb = 'move'
                        AND (?1 IS NULL OR step.account = (SELECT id FROM account WHERE name = ?1))
                        AND run.started_at >= coalesce(?3, 0)
                    ORDER BY step.id
                    """, arguments: [account?.rawValue, wanted, since?.seconds])
            var moves: [JournaledMove] = []
            while let row = try rows.next() {
                guard
                    let cause = Step.Cause(column: row[3], rule: row[4]),
                    case .move(let key, let destination) = try StepRecord.kind(row[6])
                else { continue }
                moves.append(
                    JournaledMove(
                        step: row[0], run: RunID(rawValue: row[1]), at: Timestamp(seconds: row[2]),
                        cause: cause, message: EmailID(rawValue: row[5]), from: key.mailbox, to: destination,
                        isUndone: row[7]))
            }
            return moves
        }
    }

    /// For each rule, the number of messages that it matched too late, in runs since `since`.
    public func shadowedCounts(account: AccountID?, since: Timestamp) throws(MailStoreError) -> [String: Int]
    {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT rule, sum(messages) FROM rule_shadowed JOIN run ON run.id = rule_shadowed.run
                    WHERE run.started_at >= ?2
                        AND (?1 IS NULL OR run.account = (SELECT id FROM account WHERE name = ?1))
                    GROUP BY rule
                    """, arguments: [account?.rawValue, since.seconds])
            var counts: [String: Int] = [:]
            while let row = try rows.next() { counts[row[0]] = row[1] }
            return counts
        }
    }

    /// Messages received since `since` that have ever left an inbox.
    public func leftInbox(account: AccountID, since: Timestamp) throws(MailStoreError) -> Set<EmailID> {
        try file.reading { db in
            Set(
                try String.fetchAll(
                    db,
                    sql: """
                        SELECT email_id FROM left_inbox CROSS JOIN message ON message.id = left_inbox.message
                        WHERE message.account = (SELECT id FROM account WHERE name = ?1) AND received >= ?2
                        """, arguments: [account.rawValue, since.seconds]
                ).map { EmailID(rawValue: $0) })
        }
    }
}
