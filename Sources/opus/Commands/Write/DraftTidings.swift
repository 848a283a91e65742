import Models
import Pipeline

/// Reports how other programs changed drafts. An unreachable server is not a failure.
struct DraftTidings {
    let session: Session
    let console: Console

    func tell(account: String?) async throws {
        for account in try session.accounts.ids(named: account) {
            do {
                for line in try await session.draftsMailbox.pickUp(of: account) {
                    console.note(TerminalText.line(line))
                }
            } catch {
                if Task.isCancelled { throw error }
                console.note(
                    "A draft was changed by another program and cannot be fetched now: "
                        + TerminalText.line(Problem(error).message))
            }
        }
    }

    /// The draft with the changes of other programs.
    func newest(_ draft: OpenDraft) async throws -> OpenDraft {
        let current = try await session.draftsMailbox.current(draft)
        for line in current.news { console.note(TerminalText.line(line)) }
        return current.draft
    }

    /// The draft with the changes of other programs, to send it.
    func newestToSend(_ draft: OpenDraft) async throws -> OpenDraft {
        try await session.draftsMailbox.toSend(draft) { console.note(TerminalText.line($0)) }
    }
}
