import Foundation
import GRDB
import Models

/// Updates the remaining steps of a message to the place that opus moved it to.
///
/// Without this, a second step that was queued before the first one was done (offline, twice in a row) would search for
/// the message in its first place, and would attribute the move by opus to another program.
struct Rebinding {
    let db: Database

    /// The messages with a queued step that has not begun.
    func waiting(among messages: [EmailID]) throws -> Set<EmailID> {
        guard !messages.isEmpty else { return [] }
        let statement = try db.cachedStatement(
            sql: """
                SELECT DISTINCT message FROM step
                WHERE message IN (SELECT value FROM json_each(?))
                    AND state IN ('planned', 'ready') AND attempts = 0
                """)
        let found = try String.fetchAll(
            statement, arguments: [try JSONList.of(messages.map(\.rawValue))])
        return Set(found.map { EmailID(rawValue: $0) })
    }

    /// Sets the new place in the later steps of the same message that have not begun.
    ///
    /// - Returns: the updated kinds of those steps, by step id.
    func carryOn(after step: Step, from key: MessageKey, to target: MessageKey) throws -> [Int64: Step.Kind] {
        guard let message = step.message, let id = step.id else { return [:] }
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(StepRow.columns) FROM step
                WHERE message = ? AND id > ? AND state IN ('planned', 'ready') AND attempts = 0 ORDER BY id
                """)
        var rebound: [Int64: Step.Kind] = [:]
        for later in try StepRow.steps(
            try Row.fetchCursor(statement, arguments: [message.rawValue, id]))
        {
            guard let id = later.id, let kind = Self.moved(later.kind, from: key, to: target) else {
                continue
            }
            try db.cachedStatement(sql: "UPDATE step SET kind = ? WHERE id = ?")
                .execute(arguments: [try StepRecord.encode(kind), id])
            rebound[id] = kind
        }
        return rebound
    }

    /// nil: the step is about another place.
    private static func moved(
        _ kind: Step.Kind, from key: MessageKey, to target: MessageKey
    ) -> Step.Kind? {
        switch kind {
        case .move(key, let destination): .move(target, to: destination)
        case .store(key, let addFlags, let removeFlags, let addKeywords, let removeKeywords):
            .store(
                target, addFlags: addFlags, removeFlags: removeFlags, addKeywords: addKeywords,
                removeKeywords: removeKeywords)
        case .remove(key, let token, let versions): .remove(target, token: token, versions: versions)
        case .move, .store, .remove, .createTodo, .updateTodo, .removeTodo, .restoreTodo, .append, .submit,
            .wait, .saveFile, .removeFile, .list, .createMailbox,
            .editThreads:
            nil
        }
    }
}
