import Documents
import Models
import Pipeline

/// Saves or sends a new draft.
struct DraftEnding {
    let global: GlobalOptions
    let console: Console

    func end(_ draft: OpenDraft, sends: Bool, with options: SendingOptions) async throws {
        if sends { return try await Outgoing(global: global, console: console).send([draft], with: options) }
        let note = Note()
        do {
            try await Session.with(try global.sessionOptions(), .changing) { session in
                let (report, news) = try await session.draftsMailbox.push(
                    of: draft.accountID, command: "drafts")
                for line in news { console.note(TerminalText.line(line)) }
                // Steps of other drafts may have been left over.
                let failed = report.drain.failures.filter(draft.isChanged)
                note.words =
                    report.drain.interruption ?? failed.first { !Self.isRemoval($0) }?.reason
                    ?? report.notices.first
                note.olderStays = failed.first(where: Self.isRemoval)?.reason
                if let left = draft.leftAccount, let words = try await session.draftsMailbox.leave(left) {
                    console.note(
                        TerminalText.line(
                            "The older version is still in the Drafts mailbox of \(left): \(words)"))
                }
            }
        } catch {
            // The draft is saved locally. If the server is offline, it gets the draft later.
            if Task.isCancelled { throw error }
            note.words = Problem(error).message
        }
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let name = try session.drafts.shortName(of: draft.stored)
        if console.isJSON {
            try console.print(
                json: DraftsDocument(
                    try session.drafts.list(account: nil).filter { $0.id == name }, zone: session.zone))
        } else {
            console.print(console.isTerminal ? "Saved as draft \(name)." : name)
        }
        if let words = note.words {
            console.note("Not in the Drafts mailbox yet: " + TerminalText.line(words))
        } else if let words = note.olderStays {
            console.note("The older version is still in the Drafts mailbox: " + TerminalText.line(words))
            console.note("next: delete it with your mail program")
        }
        console.note("next: opus send \(name)      or  opus drafts edit \(name)")
    }

    private static func isRemoval(_ step: Step) -> Bool {
        if case .remove = step.kind { return true }
        return false
    }

    private final class Note: @unchecked Sendable {
        /// Why the draft is not in the Drafts mailbox.
        var words: String?
        /// Why its older version is still there.
        var olderStays: String?
    }
}
