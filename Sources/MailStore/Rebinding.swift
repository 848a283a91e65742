/// What is still to be done with a message begins where our own move of it ended.
///
/// Without it a second wish, made before the first one was carried out (offline, twice in a row), would look for the
/// message where it stood at first, and take our own move for another program's.

import Foundation
import GRDB
import Models

struct Rebinding {
    let db: Database

    /// Gives the later steps of the same message that have not begun its new place.
    func carryOn(after step: Step, from key: MessageKey, to target: MessageKey) throws {
        guard let message = step.message, let id = step.id else { return }
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(StepRow.columns) FROM step
                WHERE message = ? AND id > ? AND state IN ('planned', 'ready') AND attempts = 0 ORDER BY id
                """)
        for later in try MailStore.steps(
            try Row.fetchCursor(statement, arguments: [message.rawValue, id]))
        {
            guard let id = later.id, let kind = Self.moved(later.kind, from: key, to: target) else {
                continue
            }
            try db.cachedStatement(sql: "UPDATE step SET kind = ? WHERE id = ?")
                .execute(arguments: [try JSONEncoder().encode(kind), id])
        }
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
        case .remove(key, let token): .remove(target, token: token)
        case .move, .store, .remove, .createTodo, .updateTodo, .removeTodo, .restoreTodo, .append, .submit,
            .wait, .saveFile, .removeFile:
            nil
        }
    }
}
