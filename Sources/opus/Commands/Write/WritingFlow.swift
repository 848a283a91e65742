import Models
import Pipeline

/// Writes a mail: opens the editor if there is a terminal, reports mistakes, and saves or sends the draft.
struct WritingFlow {
    let global: GlobalOptions
    let writing: WritingOptions
    var leavesOutQuote = false

    func run(_ purpose: () -> MailWish.Purpose) async throws {
        let console = global.console()
        let isInteractive = writing.isInteractive(global)
        var wish = try writing.wish(purpose(), account: global.account, isInteractive: isInteractive)
        wish.leavesOutQuote = leavesOutQuote
        guard isInteractive || !wish.isEmpty else {
            throw Problem(
                "nothing-written", exit: .badData,
                message: "the mail has no text, recipient or subject; nothing was saved",
                next: ["--body FILE", "--to ADDRESS --subject TEXT"])
        }
        let asked = wish
        let kept = Kept()
        let save = {
            try await Session.with(try global.sessionOptions(), .reading) { session in
                let draft = try session.drafts.keep(try await session.composing.compose(asked))
                for address in draft.leftOut {
                    console.warn(
                        console.style.yellow("! ")
                            + TerminalText.line(
                                "\(address) is left out: most servers do not take such an address"))
                }
                kept.draft =
                    isInteractive
                    ? try Editing(session: session, console: console, environment: global.environment)
                        .edit(draft, isNew: true) : draft
            }
        }
        if let text = wish.body, writing.readsInput(isInteractive: isInteractive) {
            let piped = PipedText(text: text, options: try global.sessionOptions(), console: console)
            try await piped.saved(by: save)
        } else {
            try await save()
        }
        guard let draft = kept.draft else { return }
        try await DraftEnding(global: global, console: console).end(
            draft, sends: writing.send, with: writing.sending)
    }

    /// Passes the draft out of the session. One task only uses it.
    private final class Kept: @unchecked Sendable {
        var draft: OpenDraft?
    }
}
