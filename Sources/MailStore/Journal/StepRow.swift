import Foundation
import GRDB
import Models

/// Converts a step to a row of the journal and back.
///
/// The bytes of a message have their own column, because JSON would write each byte as a number. The keywords
/// that SQL uses to select steps have their own columns, too.
struct StepRow {
    /// In the order in which ``step(_:)`` reads them.
    static let columns = """
        \(columnsWithoutBytes), payload, outcome
        """
    /// The number of columns.
    static let width = 18

    /// Without the bytes of messages and files, and without the outcome.
    static let columnsWithoutBytes = """
        step.id, idempotency_key, step.message, step.cause, step.rule, kind, state, attempts, error, step.hold, proof,
        proof_detail, due_at, step.undoes, issued_at, tried_since
        """
    static let widthWithoutBytes = 16

    /// Which ``Step/Cause`` it is, and the rule's id or the verb; empty where the cause has none.
    var cause: String
    var rule: String
    /// The kind's name: `move`.
    var verb: String
    /// The Message-ID of a mail that opus wrote.
    var token: String?
    var kind: Data
    var payload: Data?

    init(_ step: Step) throws {
        (cause, rule) = step.cause.columns
        let (kind, message) = Self.withoutMessage(step.kind)
        self.kind = try StepRecord.encode(kind)
        (verb, token) = Self.words(kind)
        payload = message.map { Data($0) }
    }

    static func steps(_ rows: RowCursor) throws -> [Step] {
        var steps: [Step] = []
        while let row = try rows.next() { steps.append(try step(row)) }
        return steps
    }

    static func step(_ row: Row) throws -> Step {
        var step = try stepWithoutBytes(row)
        if let payload = row[16] as Data? { step.kind = with(step.kind, message: [UInt8](payload)) }
        if let outcome = row[17] as Data? { step.outcome = try StepRecord.outcome(outcome) }
        return step
    }

    static func stepWithoutBytes(_ row: Row) throws -> Step {
        guard let cause = Step.Cause(column: row[3], rule: row[4]), let state = Step.State(rawValue: row[6])
        else { throw MailStoreError.corrupt(reason: "a step has no cause or no state") }
        var step = Step(
            idempotencyKey: row[1], message: (row[2] as String?).map { EmailID(rawValue: $0) }, cause: cause,
            kind: try StepRecord.kind(row[5]))
        step.id = row[0]
        step.state = state
        step.attempts = row[7]
        step.error = row[8]
        step.hold = (row[9] as String?).flatMap(Step.Hold.init)
        step.proof = (row[10] as String?).flatMap(Step.Proof.Kind.init).map {
            Step.Proof($0, (row[11] as String?) ?? "")
        }
        step.dueAt = (row[12] as Int64?).map { Timestamp(seconds: $0) }
        step.undoes = row[13]
        step.issuedAt = (row[14] as Int64?).map { Timestamp(seconds: $0) }
        step.triedSince = (row[15] as Int64?).map { Timestamp(seconds: $0) }
        return step
    }

    private static func words(_ kind: Step.Kind) -> (verb: String, token: String?) {
        switch kind {
        case .createTodo: ("createTodo", nil)
        case .updateTodo: ("updateTodo", nil)
        case .removeTodo: ("removeTodo", nil)
        case .restoreTodo: ("restoreTodo", nil)
        case .append(_, _, _, let token): ("append", token.rawValue)
        case .submit(_, _, _, let token): ("submit", token.rawValue)
        case .store: ("store", nil)
        case .move: ("move", nil)
        case .remove(_, let token, _): ("remove", token.rawValue)
        case .wait: ("wait", nil)
        case .saveFile: ("saveFile", nil)
        case .removeFile: ("removeFile", nil)
        case .list: ("list", nil)
        case .createMailbox: ("createMailbox", nil)
        case .editThreads: ("editThreads", nil)
        }
    }

    private static func withoutMessage(_ kind: Step.Kind) -> (Step.Kind, message: [UInt8]?) {
        switch kind {
        case .append(let mailbox, let message, let flags, let token):
            (.append(to: mailbox, message: [], flags: flags, token: token), message)
        case .submit(let reversePath, let forwardPaths, let message, let token):
            (
                .submit(reversePath: reversePath, forwardPaths: forwardPaths, message: [], token: token),
                message
            )
        case .restoreTodo(let id, let path, let content, let digest):
            (.restoreTodo(id, path: path, content: [], digest: digest), content)
        case .createTodo, .updateTodo, .removeTodo, .store, .move, .remove, .wait, .saveFile, .removeFile,
            .list, .createMailbox,
            .editThreads:
            (kind, nil)
        }
    }

    private static func with(_ kind: Step.Kind, message: [UInt8]) -> Step.Kind {
        switch kind {
        case .append(let mailbox, message: _, let flags, let token):
            .append(to: mailbox, message: message, flags: flags, token: token)
        case .submit(let reversePath, let forwardPaths, message: _, let token):
            .submit(reversePath: reversePath, forwardPaths: forwardPaths, message: message, token: token)
        case .restoreTodo(let id, let path, content: _, let digest):
            .restoreTodo(id, path: path, content: message, digest: digest)
        case .createTodo, .updateTodo, .removeTodo, .store, .move, .remove, .wait, .saveFile, .removeFile,
            .list, .createMailbox,
            .editThreads:
            kind
        }
    }
}
