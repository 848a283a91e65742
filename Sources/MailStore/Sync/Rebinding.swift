import Foundation
import GRDB
import Models

/// Points the remaining steps of a message at the place that opus moved it to.
///
/// Without this, a second step that was queued before the first one was done (offline, twice in a row) would search for
/// the message in its first place, and would attribute the move by opus to another program.
struct Rebinding {
    let db: Database

    /// The messages that have a waiting step that has not begun.
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

    /// Gives the new place to the later steps of the same message that have not begun.
    ///
    /// - Returns: what those steps do now, by the step's id.
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

    /// nil: the step is about something else.
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
