import Accounts
import MIMEParser
import MailStore
import Models
import Planner

/// The line in the notes of a task for each reminder: `Nudge 2026-03-20 to Bob Singh`. It goes when the draft is discarded.
struct NudgeNotes: Sendable {
    let store: Store
    let tasks: Tasks
    let traces: MailTraces
    let zone: ZoneClock

    private static let mark = "Nudge 2"
    /// The number of nudges of one task for which opus looks.
    private static let most = 32

    static func purpose(_ todo: TodoID, _ account: AccountID) -> [String] {
        ["nudge", account.rawValue, todo.rawValue]
    }

    static func count(in notes: String) -> Int {
        notes.split(whereSeparator: \.isNewline).count { $0.hasPrefix(mark) }
    }

    func line(at time: Timestamp, to people: [EmailAddress]) -> String {
        "Nudge \(zone.local(time).date) to \(ReplyNote.clean(WaitWords.people(people)))"
    }

    /// The Message-IDs that the nudges of a task have, in order.
    func tokens(of todo: Todo, _ account: Account) -> [MessageID] {
        let purpose = Self.purpose(todo.id, account.id)
        return (0..<Self.most).map {
            MailTraces.messageID(purpose, $0, domain: account.address.domain)
        }
    }

    /// The change that removes the line of a nudge from the notes of its task; nil: the draft is not a nudge, or the notes
    /// do not have the line.
    func change(
        takingBack token: MessageID, _ account: Account
    ) throws -> (file: TodoFile, patch: TodoPatch)? {
        // The store may have an older version of the task than the folder.
        for file in try tasks.files().files where Self.count(in: file.todo.notes) > 0 {
            let todo = file.todo
            guard tokens(of: todo, account).contains(token) else { continue }
            return try patch(takingBack: token, todo, account).map { (file, $0) }
        }
        return nil
    }

    /// The change that adds the line of a nudge to the notes of its task; nil: the draft is not a nudge, or the notes have the
    /// line.
    func change(noting draft: StoredDraft, _ account: Account) throws -> (file: TodoFile, patch: TodoPatch)? {
        for file in try tasks.files().files where Waits.mayWait(file.todo) {
            let todo = file.todo
            guard tokens(of: todo, account).contains(draft.messageID) else { continue }
            let envelope = HeaderBlock.envelope(of: draft.content)
            guard let date = envelope.date else { return nil }
            let line = line(at: date, to: envelope.to)
            guard try count(line, in: todo.notes) <= others(besides: draft.messageID, line, todo, account)
            else { return nil }
            var patch = TodoPatch()
            patch.notes = ReplyNote.adding(line, to: todo.notes)
            return (file, patch)
        }
        return nil
    }

    /// ``change(takingBack:_:)`` for a known task.
    func patch(
        takingBack token: MessageID, _ todo: Todo, _ account: Account
    ) throws -> TodoPatch? {
        let notes = try removing(token, from: todo.notes, of: todo, account)
        guard notes != todo.notes else { return nil }
        var patch = TodoPatch()
        patch.notes = notes
        return patch
    }

    /// The notes without the line of a nudge of the task.
    func removing(
        _ token: MessageID, from notes: String, of todo: Todo, _ account: Account
    ) throws -> String {
        guard let line = try line(of: token, account) else { return notes }
        guard try count(line, in: notes) > others(besides: token, line, todo, account) else { return notes }
        return ReplyNote.removing(line, from: notes)
    }

    private func count(_ line: String, in notes: String) -> Int {
        notes.split(whereSeparator: \.isNewline).count { $0 == line }
    }

    /// How many other nudges of the task have the same line: those of the same day to the same people.
    private func others(
        besides token: MessageID, _ line: String, _ todo: Todo, _ account: Account
    ) throws -> Int {
        try tokens(of: todo, account).filter { $0 != token }.count {
            try isAlive($0, account) && self.line(of: $0, account) == line
        }
    }

    /// Whether this store knows nothing about the nudge: another store wrote it.
    func isUnknown(_ token: MessageID, _ account: Account) throws -> Bool {
        try traces.trace(of: token, account: account.id) == nil
    }

    /// Whether the nudge was sent, or its draft exists.
    func isAlive(_ token: MessageID, _ account: Account) throws -> Bool {
        switch try traces.trace(of: token, account: account.id) {
        case .draft, .sending, .sent: true
        // An undo may have brought it back.
        case .discarded: try traces.draftMessage(token, account.id) != nil
        case nil: false
        }
    }

    /// The line that was written with the first version of the draft.
    private func line(of token: MessageID, _ account: Account) throws -> String? {
        guard let message = try firstVersion(of: token, account) else { return nil }
        let envelope = HeaderBlock.envelope(of: message)
        return envelope.date.map { line(at: $0, to: envelope.to) }
    }

    /// After the store was lost, only the draft itself is known.
    private func firstVersion(of token: MessageID, _ account: Account) throws -> [UInt8]? {
        let first = OpenDraft.versionID(of: token, 1)
        let step = try store.drafts.appends(of: first, account: account.id).first
        if case .append(to: _, let message, flags: _, token: _)? = step?.kind { return message }
        return try store.drafts.drafts(of: account.id).first {
            $0.messageID == token && $0.revision == 1
        }?.content
    }
}
