import GRDB
public import Models

/// What happened to a mail that opus wrote: its draft, and its submission.
extension RunStore {
    /// When the mail with this Message-ID was submitted; nil: no step of the journal sent it.
    public func departure(
        of token: MessageID, account: AccountID
    ) throws(MailStoreError) -> Timestamp? {
        try file.reading { db in
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT coalesce(issued_at, run.started_at) FROM step JOIN run ON run.id = step.run
                    WHERE token = ? AND verb = 'submit' AND state = 'confirmed'
                        AND step.account = (SELECT id FROM account WHERE name = ?)
                    LIMIT 1
                    """, arguments: [token.rawValue, account.rawValue]
            ).map { Timestamp(seconds: $0) }
        }
    }

    /// Whether a mail with this Message-ID left the outbox while its result was unknown: the final dot was sent, or another
    /// program seems to have sent it.
    public func mayHaveDeparted(_ token: MessageID, account: AccountID) throws(MailStoreError) -> Bool {
        try file.reading { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(StepRow.columns) FROM step WHERE token = ? AND verb = 'submit' AND state = 'cancelled'
                        AND account = (SELECT id FROM account WHERE name = ?)
                    """, arguments: [token.rawValue, account.rawValue]
            ).map(StepRow.step).contains { $0.proof?.kind == .dotSent || $0.outcome.place != nil }
        }
    }

    /// The number of mails that are waiting to be sent or need a decision, by account, without these accounts.
    public func unsentMail(besides accounts: [AccountID]) throws(MailStoreError) -> [AccountID: Int] {
        try file.reading { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT account.name, count(*) FROM step JOIN account ON account.id = step.account
                    WHERE verb = 'submit'
                        AND state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling', 'needsDecision')
                        AND account.name NOT IN (SELECT value FROM json_each(?))
                    GROUP BY account.name
                    """, arguments: [try JSONList.of(accounts.map(\.rawValue))])
            return Dictionary(uniqueKeysWithValues: rows.map { (AccountID($0[0]), $0[1]) })
        }
    }

    /// Steps that belong to a sent mail and failed or still wait, by the id of its submission: the copy in Sent, and the
    /// removal of the draft.
    public func unfinishedAfterSending(account: AccountID) throws(MailStoreError) -> [Int64: [Step]] {
        try file.reading { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT \(StepRow.columns), (
                        SELECT max(mail.id) FROM step AS mail WHERE mail.run = step.run AND mail.id < step.id
                            AND mail.verb = 'submit' AND mail.state = 'confirmed'
                            AND (mail.message = step.message OR mail.token = step.token)) AS submission
                    FROM step
                    WHERE step.id IN (
                            SELECT id FROM step WHERE account = (SELECT id FROM account WHERE name = ?1)
                                AND state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling')
                            UNION ALL
                            SELECT id FROM step INDEXED BY step_refused
                                WHERE account = (SELECT id FROM account WHERE name = ?1)
                                    AND state IN ('needsDecision', 'rejected'))
                        AND verb IN ('append', 'remove') AND submission IS NOT NULL
                    ORDER BY step.id
                    """, arguments: [account.rawValue])
            var steps: [Int64: [Step]] = [:]
            for row in rows { steps[row[StepRow.width], default: []].append(try StepRow.step(row)) }
            return steps
        }
    }

    /// Whether the draft with this Message-ID left its mailbox because `opus send` sent it, perhaps under another one.
    public func isSent(draft token: MessageID, account: AccountID) throws(MailStoreError) -> Bool {
        try file.reading { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM step WHERE token = ?1 AND verb = 'submit' AND state = 'confirmed'
                            AND account = (SELECT id FROM account WHERE name = ?2))
                        OR EXISTS (SELECT 1 FROM step JOIN run ON run.id = step.run
                            WHERE token = ?1 AND verb = 'remove' AND command = 'send' AND state = 'confirmed'
                                AND step.account = (SELECT id FROM account WHERE name = ?2))
                    """, arguments: [token.rawValue, account.rawValue]) == true
        }
    }

    /// Whether a later step removed the mail that this step put into a mailbox, and that step was not undone.
    public func isRemoved(
        _ token: MessageID, since step: Int64, account: AccountID
    ) throws(MailStoreError) -> Bool {
        try file.reading { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM step WHERE token = ? AND verb = 'remove' AND state = 'confirmed'
                        AND id > ? AND account = (SELECT id FROM account WHERE name = ?)
                        AND NOT EXISTS (SELECT 1 FROM step AS inverse
                            WHERE inverse.undoes = step.id AND inverse.state = 'confirmed'))
                    """, arguments: [token.rawValue, step, account.rawValue]) == true
        }
    }

    /// Whether a step removed, or will remove, a draft with this Message-ID, even if it was undone since.
    public func hasRemoval(of token: MessageID, account: AccountID) throws(MailStoreError) -> Bool {
        try file.reading { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM step WHERE token = ? AND verb = 'remove'
                        AND state NOT IN ('rejected', 'cancelled')
                        AND account = (SELECT id FROM account WHERE name = ?))
                    """, arguments: [token.rawValue, account.rawValue]) == true
        }
    }

    /// Whether an undo removed the draft with this Message-ID from its mailbox, or the draft of a nudge before it was put
    /// there, and nothing has put it back since.
    public func isUndone(draft token: MessageID, account: AccountID) throws(MailStoreError) -> Bool {
        try file.reading { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM step JOIN run ON run.id = step.run WHERE token = ?
                        AND (verb = 'remove' AND step.undoes IS NOT NULL AND state NOT IN ('rejected', 'cancelled')
                            OR verb = 'append' AND state = 'cancelled' AND hold = 'undone' AND command = 'nudge')
                        AND step.account = (SELECT id FROM account WHERE name = ?)
                        AND NOT EXISTS (SELECT 1 FROM step AS later
                            WHERE later.token = step.token AND later.verb = 'append' AND later.account = step.account
                                AND later.id > step.id AND later.state NOT IN ('rejected', 'cancelled')))
                    """, arguments: [token.rawValue, account.rawValue]) == true
        }
    }

    /// The Message-IDs of drafts that a server refused, and that were not put into a mailbox since.
    public func refusedDrafts(account: AccountID) throws(MailStoreError) -> Set<MessageID> {
        try file.reading { db in
            Set(
                try String.fetchAll(
                    db,
                    sql: """
                        SELECT token FROM step INDEXED BY step_refused
                        WHERE account = (SELECT id FROM account WHERE name = ?)
                            AND state IN ('needsDecision', 'rejected') AND state = 'rejected' AND verb = 'append'
                            AND token IS NOT NULL AND NOT EXISTS (SELECT 1 FROM step AS other
                                WHERE other.token = step.token AND other.account = step.account
                                    AND (other.verb = 'submit' OR other.verb = 'append' AND other.id > step.id
                                        AND other.state NOT IN ('rejected', 'cancelled')))
                        """, arguments: [account.rawValue]
                ).map { MessageID($0) })
        }
    }

    /// The last step that was to send the mail with this Message-ID, and its run.
    public func submission(
        of token: MessageID, account: AccountID
    ) throws(MailStoreError) -> (run: RunID, step: Step)? {
        try file.reading { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT \(StepRow.columns), run FROM step
                    WHERE token = ? AND verb = 'submit'
                        AND step.account = (SELECT id FROM account WHERE name = ?)
                    ORDER BY id DESC LIMIT 1
                    """, arguments: [token.rawValue, account.rawValue]
            ).map { (RunID(rawValue: $0[StepRow.width]), try StepRow.step($0)) }
        }
    }

    /// The step that put a mail by opus into a mailbox, and its run.
    public func appended(
        _ token: MessageID, account: AccountID
    ) throws(MailStoreError) -> (run: RunID, step: Step)? {
        try file.reading { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT \(StepRow.columns), run FROM step
                    WHERE token = ? AND verb = 'append' AND state = 'confirmed'
                        AND step.account = (SELECT id FROM account WHERE name = ?)
                    ORDER BY id DESC LIMIT 1
                    """, arguments: [token.rawValue, account.rawValue]
            ).map { (RunID(rawValue: $0[StepRow.width]), try StepRow.step($0)) }
        }
    }
}
