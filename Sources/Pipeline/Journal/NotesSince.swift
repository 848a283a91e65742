import Crypto
import MailStore
import Models
import Planner
import TodoCalendar

/// Finds out whether only opus has changed the file of a task since a step, because of mail.
struct NotesSince {
    let store: Store
    let now: Timestamp

    /// nil: another program or a command of the user changed or moved the file since, or the journal does not show it.
    /// `file`: the path and the bytes now.
    func notes(
        after step: Step, of id: TodoID, present file: (path: String, bytes: [UInt8])
    ) throws -> Undo.NotedSince? {
        let present = file.bytes
        guard let row = step.id, let digest = step.outcome.digest, Self.digest(of: present) != digest else {
            return nil
        }
        let later = try store.runs.notes(of: id, after: row)
        let originals = try store.runs.steps(later.compactMap(\.undoes))
        // Backwards, from the present version to the one after the step.
        var bytes = present
        var onlyNotes = true
        var before = Int64.max
        while Self.digest(of: bytes) != digest {
            let version = Self.digest(of: bytes)
            let writer = later.first { ($0.id ?? 0) < before && $0.outcome.digest == version }
            // The version before a step that was undone is the one before both.
            guard let writer,
                let change = writer.cause == .undo ? writer.undoes.flatMap({ originals[$0] }) : writer,
                let earlier = change.outcome.contentBefore, let changed = change.id,
                before != .max || writer.outcome.path.map(Self.list) == Self.list(of: file.path)
            else { return nil }
            if case .updateTodo(_, let patch) = writer.kind, !patch.changesOnlyNotes { onlyNotes = false }
            (bytes, before) = (earlier, changed)
        }
        guard onlyNotes else { return Undo.NotedSince() }
        return Undo.NotedSince(
            before: step.outcome.contentBefore.flatMap { content in
                try? Self.adding(to: content, id, from: bytes, to: present, now: now)
            })
    }

    private static func list(of path: String) -> Substring? { path.split(separator: "/").first }

    private static func digest(of bytes: [UInt8]) -> String { Hex.encode(SHA256.hash(bytes)) }

    /// The content with the lines of the notes that are new in `present`, without the state of the wait.
    private static func adding(
        to content: [UInt8], _ id: TodoID, from old: [UInt8], to present: [UInt8], now: Timestamp
    ) throws -> [UInt8]? {
        let notes = try [content, old, present].map { bytes in
            try VTodoReader.read(bytes, id, list: .inbox)?.todo.notes
        }
        guard let before = notes[0], let after = notes[1], let last = notes[2] else { return nil }
        var known = after.split(whereSeparator: \.isNewline)
        let added = last.split(whereSeparator: \.isNewline).filter { line in
            if let place = known.firstIndex(of: line) {
                known.remove(at: place)
                return false
            }
            return !line.hasPrefix(WaitLine.mark)
        }
        guard !added.isEmpty else { return content }
        var patch = TodoPatch()
        patch.notes = added.reduce(before) { ReplyNote.adding(String($1), to: $0) }
        return try VTodoPatcher.apply(patch, to: content, of: id, now: now)
    }
}
