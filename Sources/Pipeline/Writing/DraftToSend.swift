import Models

/// The current draft, and the news to print about it.
public struct CurrentDraft: Sendable {
    public var draft: OpenDraft
    /// One sentence for each change by another program, or why the Drafts mailbox could not be read.
    public var news: [String]
    fileprivate var isChangedTwice = false
    fileprivate var isGone = false
}

extension DraftsMailbox {
    /// The draft with the changes of other programs; without a connection, the local one.
    public func current(_ draft: OpenDraft) async throws -> CurrentDraft {
        do {
            let (newest, found) = try await newest(draft)
            return CurrentDraft(
                draft: newest, news: found.news, isChangedTwice: found.isChangedTwice, isGone: found.isGone)
        } catch let problem as Problem where problem.exit == .unavailable || problem.exit == .temporary {
            return CurrentDraft(
                draft: draft, news: ["The Drafts mailbox cannot be read now: " + problem.message])
        }
    }

    /// The same for sending. `tell` gets the news, even if the draft cannot be sent.
    ///
    /// - Throws: ``Problem`` if it is unclear which text to send.
    public func toSend(_ draft: OpenDraft, tell: (String) -> Void) async throws -> OpenDraft {
        let name = try drafts.shortName(of: draft.stored)
        if places.isNameless(draft.stored) {
            throw Problem(
                "nameless-draft", exit: .someFailed,
                message:
                    "draft \(name) has no Message-ID, so opus cannot see whether it was sent since: nothing was sent",
                details: [
                    "after a change, opus saves and sends its own copy, and the other program's stays in Drafts"
                ],
                next: ["send it with the program that saved it", "opus drafts edit \(name)"])
        }
        let current = try await current(draft)
        for line in current.news { tell(line) }
        if current.isChangedTwice {
            throw Problem(
                "changed-elsewhere", exit: .someFailed,
                message: "draft \(name) was changed both here and by another program: nothing was sent",
                next: ["opus drafts", "opus send ID (the version that you want)"])
        }
        if current.isGone {
            throw Problem(
                "removed-elsewhere", exit: .someFailed,
                message: "draft \(name) is no longer in the Drafts mailbox: nothing was sent",
                details: ["another program removed it, sent it, or saved it under another Message-ID"],
                next: ["opus drafts", "opus drafts edit \(name) (saves it there again)"])
        }
        return current.draft
    }
}
