import Foundation
import GRDB
import Models

/// Writes the results of steps, and applies the confirmed ones to the stored mailboxes.
///
/// Without the second part, the store would show the old state until the next sync, and a plan made meanwhile
/// would contain the same changes again.
struct ResultWriter {
    let db: Database
    private let mailboxes: MailboxRows
    private let places: PlacementWriter

    init(db: Database) {
        self.db = db
        mailboxes = MailboxRows(db: db)
        places = PlacementWriter(db: db)
    }

    /// Writes the results in this order; several may belong to the same step.
    func write(_ results: [StepResult]) throws {
        var steps = try steps(results.map(\.id))
        let rebinding = Rebinding(db: db)
        let moved = results.compactMap { result -> EmailID? in
            guard result.state == .confirmed, let step = steps[result.id], case .move = step.kind else {
                return nil
            }
            return step.message
        }
        let waiting = try rebinding.waiting(among: moved)
        var touched: [EmailID] = []
        for result in results {
            guard let step = steps[result.id] else { throw MailStoreError.unknownStep(id: result.id) }
            guard step.state.canBecome(result.state) else {
                throw MailStoreError.noSuchTransition(id: result.id, from: step.state, to: result.state)
            }
            steps[result.id]?.outcome = try note(result, of: step)
            guard step.state != result.state else {
                if result.error != nil, let message = step.message { touched.append(message) }
                continue
            }
            steps[result.id]?.state = result.state
            if result.forgetsMatch { try forgetMatch(of: result.id) }
            if result.state == .confirmed { try follow(step, result) }
            if result.isRefusal { try DeferralStore.restore(db, step) }
            guard let message = step.message else { continue }
            touched.append(message)
            if case .move(let key, let destination) = step.kind, result.state == .confirmed,
                waiting.contains(message),
                let target = try result.movedTo ?? placeInAllMail(message, destination)
            {
                for (id, kind) in try rebinding.carryOn(after: step, from: key, to: target) {
                    steps[id]?.kind = kind
                }
            }
        }
        try forgetSignatures(results.filter { $0.state == .confirmed }.compactMap { steps[$0.id]?.kind })
        try Overlay(db: db, mailboxes: mailboxes).refresh(touched)
    }

    private func steps(_ ids: [Int64]) throws -> [Int64: Step] {
        let statement = try db.cachedStatement(
            sql: "SELECT \(StepRow.columns) FROM step WHERE id IN (SELECT value FROM json_each(?))")
        let rows = try Row.fetchCursor(statement, arguments: [JSONList.of(ids)])
        return Dictionary(uniqueKeysWithValues: try StepRow.steps(rows).map { ($0.id ?? 0, $0) })
    }

    /// - Returns: the known outcome of the step.
    private func note(_ result: StepResult, of step: Step) throws -> StepOutcome {
        var news = result.outcome
        news.place = news.place ?? result.movedTo
        news.remoteName = news.remoteName ?? result.remoteName
        let outcome = step.outcome.merging(news)
        try db.cachedStatement(
            sql: """
                UPDATE step SET state = ?2, error = coalesce(?3, error), due_at = ?4,
                    attempts = coalesce(?5, attempts), outcome = coalesce(?6, outcome), hold = coalesce(?7, hold),
                    proof_detail = iif(?8 IS NULL, proof_detail, ?9), proof = coalesce(?8, proof)
                WHERE id = ?1
                """
        ).execute(arguments: [
            result.id, result.state.rawValue, result.error.map(Packed.text), result.dueAt?.seconds,
            result.attempts, outcome == step.outcome ? nil : StepRecord.encode(outcome),
            result.hold?.rawValue, result.proof?.kind.rawValue, (result.proof?.detail).map(Packed.text),
        ])
        return outcome
    }

    private func follow(_ step: Step, _ result: StepResult) throws {
        switch step.kind {
        case .store(let key, let addFlags, let removeFlags, let addKeywords, let removeKeywords):
            let key = try current(key, step.message)
            guard let mailbox = try mailboxes.row(of: key)?.id else { return }
            guard let before = try places.marks(mailbox: mailbox, uid: key.uid) else { return }
            _ = try places.setMarks(
                mailbox: mailbox, uid: key.uid,
                flags: result.flags ?? before.flags.union(addFlags).subtracting(removeFlags),
                keywords: result.keywords ?? before.keywords.union(addKeywords).subtracting(removeKeywords))
        case .move(let key, let destination):
            // A move within a mailbox does nothing.
            guard key.mailbox != destination.name else { return }
            try move(current(key, step.message), destination, result, message: step.message)
        case .remove(let key, token: _, versions: _):
            guard !result.leavesPlace, let mailbox = try mailboxes.row(of: key)?.id else { return }
            _ = try places.take(mailbox: mailbox, uid: key.uid)
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .append, .submit, .wait, .saveFile,
            .removeFile, .list, .createMailbox:
            return
        case .editThreads(let change): try ThreadEditWriter(db: db).apply(change)
        }
    }

    /// Clears the signature of the changed mailboxes. Another program may restore a Maildir to the state of
    /// the last sync. Its signature would then be equal although the store differs, so the next sync has to
    /// compare.
    private func forgetSignatures(_ kinds: [Step.Kind]) throws {
        var changed: Set<Int64> = []
        func note(_ mailbox: MailboxName, _ account: AccountID) throws {
            if let row = try mailboxes.row(mailbox, of: account) { changed.insert(row.id) }
        }
        for kind in kinds {
            switch kind {
            case .store(let key, addFlags: _, removeFlags: _, addKeywords: _, removeKeywords: _),
                .remove(let key, token: _, versions: _):
                try note(key.mailbox, key.account)
            case .move(let key, let destination):
                try note(key.mailbox, key.account)
                try note(destination.name, key.account)
            case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .append, .submit, .wait, .saveFile,
                .removeFile, .list, .createMailbox,
                .editThreads:
                continue
            }
        }
        let statement = try db.cachedStatement(
            sql: "UPDATE mailbox SET signature = NULL WHERE id = ? AND signature IS NOT NULL")
        for mailbox in changed.sorted() { try statement.execute(arguments: [mailbox]) }
    }

    private func forgetMatch(of step: Int64) throws {
        try db.cachedStatement(
            sql: """
                DELETE FROM remembered WHERE (account, rule, message) IN (
                    SELECT step.account, step.rule, message.id FROM step JOIN message
                        ON message.account = step.account AND message.email_id = step.message
                    WHERE step.id = ? AND step.cause = 'rule')
                """
        ).execute(arguments: [step])
    }

    private func move(
        _ key: MessageKey, _ to: Mailbox, _ result: StepResult, message: EmailID?
    ) throws {
        let original = try mailboxes.row(of: key)
        let source = original.flatMap { Self.keepsOriginal($0, to) ? nil : $0 }
        if result.movedTo != nil { try mailboxes.prove(to) }
        let destination = try result.movedTo.flatMap(mailboxes.destination)
        let marks = PlacementWriter.Change(
            flags: result.flags, keywords: result.keywords, remoteName: result.remoteName)
        if let source, let destination, let target = result.movedTo,
            try places.move(
                mailbox: source.id, uid: key.uid, to: destination, uid: target.uid, marks)
        {
            return
        }
        let taken = try source.flatMap { try places.take(mailbox: $0.id, uid: key.uid) }
        guard let target = result.movedTo, let destination,
            let row = try taken?.message ?? message.flatMap(db.messageRow)
        else { return }
        // A sync may already have updated both mailboxes. Its data is more recent.
        if taken == nil, try places.holds(destination, message: row) { return }
        // Or only the destination. The marks of the original may differ: where the server has no MOVE, opus marked it \Deleted.
        let before =
            try places.storedMarks(mailbox: destination, uid: target.uid) ?? taken?.marks
            ?? original.flatMap { try places.storedMarks(mailbox: $0.id, uid: key.uid) }
            ?? PlacementWriter.Marks(flags: [], keywords: [])
        try places.put(message: row, mailbox: destination, uid: target.uid, marks: marks.applied(to: before))
    }

    /// The place of a step after its mailbox got new UIDs, or after an earlier move in a Maildir, which tells no UID: where the
    /// message is now, if it has exactly one place there.
    private func current(_ key: MessageKey, _ message: EmailID?) throws -> MessageKey {
        guard let mailbox = try mailboxes.row(key.mailbox, of: key.account),
            let uidValidity = mailbox.uidValidity, uidValidity != key.uidValidity || key.uid == 0,
            let row = try message.flatMap(db.messageRow)
        else { return key }
        let uids = try places.uids(of: row, mailbox: mailbox.id)
        guard uids.count == 1, let uid = uids.first else { return key }
        return MessageKey(account: key.account, mailbox: key.mailbox, uidValidity: uidValidity, uid: uid)
    }

    /// Where Gmail's All Mail shows a message. It stays there when the message loses a label, so the server reports no new
    /// place.
    private func placeInAllMail(_ message: EmailID, _ destination: Mailbox) throws -> MessageKey? {
        guard destination.role == .all,
            let mailbox = try mailboxes.row(destination.name, of: destination.account),
            let uidValidity = mailbox.uidValidity, let row = try db.messageRow(message)
        else { return nil }
        let uids = try places.uids(of: row, mailbox: mailbox.id)
        guard uids.count == 1, let uid = uids.first else { return nil }
        return MessageKey(
            account: destination.account, mailbox: destination.name, uidValidity: uidValidity, uid: uid)
    }

    /// Gmail's All Mail shows everything except trash and spam: a message that is moved out of it gets one
    /// more label and stays.
    static func keepsOriginal(_ source: MailboxRow, _ destination: Mailbox) -> Bool {
        source.role == .all && destination.role != .trash && destination.role != .junk
    }
}

extension StepResult {
    /// Whether the step was refused, or cancelled because a step before it was refused.
    fileprivate var isRefusal: Bool { state == .rejected || (state == .cancelled && hold == .follows) }
}
