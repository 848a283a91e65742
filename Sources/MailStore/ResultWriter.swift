/// Writes how a step went, and lets our picture of the mailbox follow a confirmed one.
///
/// Without the second half, the time between an action and the next sync would show the world as it was
/// before, and a plan made then would want the same again.

import Foundation
import GRDB
import Models

struct ResultWriter {
    let db: Database

    func write(_ result: StepResult) throws {
        guard let step = try step(result.id) else { throw MailStoreError.unknownStep(id: result.id) }
        guard step.state.canBecome(result.state) else {
            throw MailStoreError.noSuchTransition(id: result.id, from: step.state, to: result.state)
        }
        let update = try db.cachedStatement(
            sql: """
                UPDATE step SET state = ?2, evidence = coalesce(?3, evidence), error = coalesce(?4, error),
                    due_at = ?5, attempts = coalesce(?6, attempts), outcome = coalesce(?7, outcome)
                WHERE id = ?1
                """)
        try update.execute(arguments: [
            result.id, result.state.rawValue, result.evidence.map(Packed.text),
            result.error.map(Packed.text), result.dueAt?.seconds, result.attempts,
            try outcome(of: result, before: step.outcome),
        ])
        guard step.state != result.state else { return }
        if result.forgetsMatch { try forgetMatch(of: result.id) }
        if result.state == .confirmed { try follow(step, result) }
        if let message = step.message { try Overlay(db: db).refresh(message) }
    }

    private func follow(_ step: Step, _ result: StepResult) throws {
        switch step.kind {
        case .store(let key, let addFlags, let removeFlags, let addKeywords, let removeKeywords):
            guard let mailbox = try mailbox(key)?.id else { return }
            guard let before = try places.marks(mailbox: mailbox, uid: key.uid) else { return }
            _ = try places.setMarks(
                mailbox: mailbox, uid: key.uid,
                flags: result.flags ?? before.flags.union(addFlags).subtracting(removeFlags),
                keywords: result.keywords ?? before.keywords.union(addKeywords).subtracting(removeKeywords))
        case .move(let key, let destination):
            try move(key, destination, result, message: step.message)
            guard let target = result.movedTo else { return }
            try Rebinding(db: db).carryOn(after: step, from: key, to: target)
        case .remove(let key, token: _):
            guard let mailbox = try mailbox(key)?.id else { return }
            _ = try places.take(mailbox: mailbox, uid: key.uid)
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .append, .submit, .wait, .saveFile,
            .removeFile:
            return
        }
    }

    /// nil: nothing new is known.
    private func outcome(of result: StepResult, before: StepOutcome) throws -> Data? {
        var known = result.outcome
        known.place = known.place ?? result.movedTo
        known.remoteName = known.remoteName ?? result.remoteName
        guard known != StepOutcome() else { return nil }
        return try JSONEncoder().encode(before.merging(known))
    }

    private func forgetMatch(of step: Int64) throws {
        try db.cachedStatement(
            sql: """
                DELETE FROM remembered WHERE EXISTS (
                    SELECT 1 FROM step JOIN message
                        ON message.account = step.account AND message.email_id = step.message
                    WHERE step.id = ? AND remembered.account = step.account
                        AND remembered.rule = step.rule AND remembered.message = message.id)
                """
        ).execute(arguments: [step])
    }

    private var places: PlacementWriter { PlacementWriter(db: db) }

    private func step(_ id: Int64) throws -> Step? {
        let statement = try db.cachedStatement(sql: "SELECT \(StepRow.columns) FROM step WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [id]).map {
            try StepRow.step($0, decoder: JSONDecoder())
        }
    }

    /// The mailbox, when the key still means what it meant.
    private func mailbox(_ key: MessageKey) throws -> MailboxRow? {
        guard let account = try db.accountRow(key.account),
            let mailbox = try db.mailboxRow(key.mailbox, account: account),
            mailbox.uidValidity == key.uidValidity
        else { return nil }
        return mailbox
    }

    private func move(
        _ key: MessageKey, _ to: Mailbox, _ result: StepResult, message: EmailID?
    ) throws {
        let source = try mailbox(key).flatMap { Self.keepsWhatIsMoved($0, to) ? nil : $0 }
        let taken = try source.flatMap { try places.take(mailbox: $0.id, uid: key.uid) }
        guard let target = result.movedTo, let destination = try destination(target),
            let row = try taken?.message ?? message.flatMap(db.messageRow)
        else { return }
        // A sync may have been faster at both ends: what it wrote is the better knowledge.
        if taken == nil, try places.holds(destination, message: row) { return }
        var marks = taken?.marks ?? PlacementWriter.Marks(flags: [], keywords: [])
        marks.remoteName = result.remoteName.map(Packed.text) ?? marks.remoteName
        if let flags = result.flags { marks.flags = Packed.flags(flags) }
        if let keywords = result.keywords { marks.keywords = Packed.keywords(keywords) }
        try places.put(message: row, mailbox: destination, uid: target.uid, marks: marks)
    }

    /// Gmail's All Mail shows everything but trash and spam: what is moved out of it has one label more, and stays.
    static func keepsWhatIsMoved(_ source: MailboxRow, _ destination: Mailbox) -> Bool {
        source.role == .all && destination.role != .trash && destination.role != .junk
    }

    /// The mailbox that a message was moved to; nil when its UIDs are of another time than we know.
    private func destination(_ key: MessageKey) throws -> Int64? {
        let account = try db.requireAccountRow(key.account)
        let mailbox = try db.requireMailboxRow(key.mailbox, account: account)
        if let known = mailbox.uidValidity { return known == key.uidValidity ? mailbox.id : nil }
        try db.cachedStatement(sql: "UPDATE mailbox SET uid_validity = ? WHERE id = ?")
            .execute(arguments: [Int64(key.uidValidity), mailbox.id])
        return mailbox.id
    }
}
