import GRDB
public import Models

/// When a deferred message comes back.
public struct Deferral: Hashable, Sendable {
    public var message: EmailID
    public var until: DeferredUntil
    /// When the user or a rule deferred the message, by the clock of the machine on which that happened.
    public var setAt: Timestamp
    /// Whether opus only assumes the end: it found the message in the mailbox and knows of no decision.
    public var isAssumed: Bool

    public init(message: EmailID, until: DeferredUntil, setAt: Timestamp, isAssumed: Bool = false) {
        self.message = message
        self.until = until
        self.setAt = setAt
        self.isAssumed = isAssumed
    }
}

/// What decided about a message, and when its command began.
public struct DeferralDecision: Hashable, Sendable {
    public var cause: Step.Cause
    public var began: Timestamp

    /// Whether the user chose this place, or another program after the message came back; nil: unknown.
    public var isByHand: Bool? {
        switch cause {
        case .rule: false
        case .hand: cause.isChoiceOfPlace
        case .task, .deferral: true
        case .undo, .reply, .deferredList: nil
        }
    }
}

/// Deferred messages: when they come back, and what ends their deferral.
public struct DeferralStore: Sendable {
    let file: StoreFile

    /// `nil` ends the deferral.
    public func set(
        _ message: EmailID, account: AccountID, until: DeferredUntil?, at time: Timestamp
    ) throws(MailStoreError) {
        try file.writing { db in
            try Self.set(db, message, account: db.requireAccountRow(account), until: until, at: time)
        }
    }

    /// The message is in the mailbox, and nothing says until when it waits: another program put it there, or the user deferred
    /// it elsewhere, with a date that is lost here.
    public func assume(
        _ message: EmailID, account: AccountID, until: DeferredUntil, at time: Timestamp
    ) throws(MailStoreError) {
        try file.writing { db in
            try Self.set(db, message, account: db.requireAccountRow(account), until: until, at: time)
            try db.cachedStatement(
                sql: """
                    UPDATE deferral SET is_assumed = 1
                    WHERE message = (SELECT id FROM message WHERE email_id = ?)
                    """
            ).execute(arguments: [message.rawValue])
        }
    }

    static func set(
        _ db: Database, _ message: EmailID, account: Int64, until: DeferredUntil?, at time: Timestamp
    ) throws {
        let row = try db.requireMessageRow(message)
        guard let until else {
            return try db.cachedStatement(sql: "DELETE FROM deferral WHERE message = ?")
                .execute(arguments: [row])
        }
        try forgetReturn(db, row)
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO deferral (message, account, until, set_at, newest)
                VALUES (?, ?, ?, ?, (SELECT max(id) FROM message))
                """
        ).execute(arguments: [
            row, account, until.time?.seconds,
            decisionTime(db, message, until: until, at: time).seconds,
        ])
    }

    /// When a decision counts as made that this machine makes now: later than every decision about the message that it knows,
    /// also if a machine whose clock is ahead made that one. The same decision again keeps its time.
    ///
    /// - Returns: `now` for messages of which no deferral is known.
    public func decisionTimes(
        of decisions: [EmailID: DeferredUntil], at now: Timestamp
    ) throws(MailStoreError) -> [EmailID: Timestamp] {
        try file.reading { db in
            var times: [EmailID: Timestamp] = [:]
            for (message, until) in decisions {
                times[message] = try Self.decisionTime(db, message, until: until, at: now)
            }
            return times
        }
    }

    private static func decisionTime(
        _ db: Database, _ message: EmailID, until: DeferredUntil, at now: Timestamp
    ) throws -> Timestamp {
        let known = try db.cachedStatement(
            sql: """
                SELECT set_at, until IS ?2 AND NOT is_assumed FROM deferral
                    WHERE message = (SELECT id FROM message WHERE email_id = ?1)
                UNION ALL
                SELECT set_at, 0 FROM step CROSS JOIN ended_deferral ON ended_deferral.step = step.id
                    WHERE step.message = ?1
                """)
        var time = now.seconds
        for row in try Row.fetchAll(known, arguments: [message.rawValue, until.time?.seconds]) {
            guard let setAt = row[0] as Int64?, setAt >= now.seconds else { continue }
            time = max(time, row[1] as Bool ? setAt : setAt + 1)
        }
        return Timestamp(seconds: time)
    }

    /// The message did not come back, or was deferred again.
    static func forgetReturn(_ db: Database, _ message: Int64) throws {
        try db.cachedStatement(sql: "DELETE FROM rule_deferral WHERE message = ? AND rule = ?")
            .execute(arguments: [message, RememberedMatch.isBack])
    }

    /// Takes over the deferrals that a list in the account reports. Each keeps the date on which it was set,
    /// perhaps on another machine.
    public func take(_ deferrals: [Deferral], account: AccountID) throws(MailStoreError) {
        guard !deferrals.isEmpty else { return }
        try file.writing { db in
            let account = try db.requireAccountRow(account)
            let statement = try db.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO deferral (message, account, until, set_at, newest, is_assumed)
                    VALUES (?, ?, ?, ?, NULL, ?)
                    """)
            for deferral in deferrals {
                let row = try db.requireMessageRow(deferral.message)
                try Self.forgetReturn(db, row)
                try statement.execute(arguments: [
                    row, account, deferral.until.time?.seconds,
                    deferral.setAt.seconds, deferral.isAssumed,
                ])
            }
        }
    }

    /// Sorted by due date; those without a date are last.
    public func all(account: AccountID) throws(MailStoreError) -> [Deferral] {
        try file.reading { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT email_id, until, set_at, is_assumed FROM deferral JOIN message ON message.id = deferral.message
                    WHERE deferral.account = (SELECT id FROM account WHERE name = ?)
                    ORDER BY until IS NULL, until, email_id
                    """, arguments: [account.rawValue]
            ).map { row in
                Deferral(
                    message: EmailID(rawValue: row[0]),
                    until: (row[1] as Int64?).map { .time(Timestamp(seconds: $0)) } ?? .someday,
                    setAt: Timestamp(seconds: row[2]), isAssumed: row[3])
            }
        }
    }

    /// Until when each deferred message is deferred.
    public func dates(account: AccountID) throws(MailStoreError) -> [EmailID: DeferredUntil] {
        Dictionary(try all(account: account).map { ($0.message, $0.until) }) { first, _ in first }
    }

    /// Messages in the inbox that arrived in the thread of a deferred message after it was deferred.
    public func newerInThread(
        account: AccountID
    ) throws(MailStoreError) -> [(deferred: EmailID, answer: EmailID)] {
        try file.reading { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT own.email_id, newer.email_id FROM deferral
                    CROSS JOIN message AS own ON own.id = deferral.message
                    CROSS JOIN message AS newer ON newer.thread = own.thread AND +newer.account = own.account
                        AND newer.id <> own.id
                        AND CASE WHEN deferral.newest IS NULL THEN newer.received > deferral.set_at
                            ELSE newer.id > deferral.newest END
                    WHERE deferral.account = (SELECT id FROM account WHERE name = ?)
                        AND EXISTS (SELECT 1 FROM placement JOIN mailbox ON mailbox.id = placement.mailbox
                            WHERE placement.message = newer.id AND mailbox.role = 'inbox')
                    ORDER BY own.id, newer.id
                    """, arguments: [account.rawValue]
            ).map { (deferred: EmailID(rawValue: $0[0]), answer: EmailID(rawValue: $0[1])) }
        }
    }

    /// What decided last where these messages are, or until when they are deferred; nothing for those that opus never moved.
    public func lastDecisions(
        among messages: [EmailID]
    ) throws(MailStoreError) -> [EmailID: DeferralDecision] {
        guard !messages.isEmpty else { return [:] }
        return try file.reading { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT cause, rule, started_at FROM step JOIN run ON run.id = step.run
                    WHERE message = ? AND verb IN ('move', 'wait') AND state NOT IN ('rejected', 'cancelled')
                    ORDER BY step.id DESC LIMIT 1
                    """)
            var found: [EmailID: DeferralDecision] = [:]
            for message in messages {
                guard let row = try Row.fetchOne(statement, arguments: [message.rawValue]),
                    let cause = Step.Cause(column: row[0], rule: row[1])
                else { continue }
                found[message] = DeferralDecision(cause: cause, began: Timestamp(seconds: row[2]))
            }
            return found
        }
    }

    /// Unread messages in an inbox of the account that were deferred before, sorted by id.
    public func returnedToInbox(of account: AccountID) throws(MailStoreError) -> [EmailID] {
        try file.reading { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT DISTINCT message.email_id FROM step INDEXED BY step_deferral
                    CROSS JOIN message ON message.email_id = step.message
                    CROSS JOIN placement ON placement.message = message.id
                    CROSS JOIN mailbox ON mailbox.id = coalesce(shown_mailbox, placement.mailbox)
                    WHERE cause = 'deferral' AND state = 'confirmed' AND role = 'inbox'
                        AND mailbox.account = (SELECT id FROM account WHERE name = ?1)
                        AND coalesce(shown_flags, flags) & ?2 = 0
                    UNION
                    SELECT DISTINCT message.email_id FROM rule_deferral
                    CROSS JOIN message ON message.id = rule_deferral.message
                    CROSS JOIN placement ON placement.message = message.id
                    CROSS JOIN mailbox ON mailbox.id = coalesce(shown_mailbox, placement.mailbox)
                    WHERE rule = ?3 AND role = 'inbox'
                        AND mailbox.account = (SELECT id FROM account WHERE name = ?1)
                        AND coalesce(shown_flags, flags) & ?2 = 0
                    ORDER BY 1
                    """, arguments: [account.rawValue, Packed.flags([.seen]), RememberedMatch.isBack]
            ).map { EmailID(rawValue: $0) }
        }
    }

    /// Those of the messages that have come back at the end of a deferral.
    public func returned(among messages: [EmailID]) throws(MailStoreError) -> Set<EmailID> {
        try file.reading { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM step
                        WHERE message = ?1 AND cause = 'deferral' AND state = 'confirmed' AND NOT EXISTS (
                            SELECT 1 FROM step AS inverse
                            WHERE inverse.undoes = step.id AND inverse.state = 'confirmed'))
                        OR EXISTS (SELECT 1 FROM message CROSS JOIN rule_deferral ON rule_deferral.message = message.id
                            WHERE email_id = ?1 AND rule = ?2)
                    """)
            var returned: Set<EmailID> = []
            for message in messages
            where try Bool.fetchOne(statement, arguments: [message.rawValue, RememberedMatch.isBack]) == true
            {
                returned.insert(message)
            }
            return returned
        }
    }

    /// Those of the messages, all in the inbox, that were put there by a choice: opus had moved them elsewhere, and another
    /// program moved them back, or the user moved them there with opus.
    public func broughtBack(among messages: [EmailID]) throws(MailStoreError) -> Set<EmailID> {
        guard !messages.isEmpty else { return [] }
        return try file.reading { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT \(StepRow.columns) FROM step
                    WHERE message = ? AND verb = 'move' AND state = 'confirmed' ORDER BY step.id DESC LIMIT 1
                    """)
            return Set(
                try messages.filter { message in
                    guard let row = try Row.fetchOne(statement, arguments: [message.rawValue]),
                        case let step = try StepRow.step(row), case .move(_, let destination) = step.kind
                    else { return false }
                    return destination.role != .inbox || step.cause.isChoiceOfPlace
                })
        }
    }
}
