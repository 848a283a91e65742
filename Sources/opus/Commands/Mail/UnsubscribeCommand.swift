import ArgumentParser
import Documents
import Models
import Pipeline

struct UnsubscribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unsubscribe", abstract: "Unsubscribe from the lists that messages came from.",
        discussion: """
            Shows what it would do and asks: either a request to the sender's server (RFC 8058) or a mail with the text \
            that the list requires. Both tell the sender that this address is in use. Warns when the server or \
            address belongs to neither the list nor the sender. The briefing lists senders that still write after ten days.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var sending: SendingOptions

    @OptionGroup var certificates: CertificateOptions

    @Flag(
        name: .long, help: "List the senders that offer a way to unsubscribe, those with the most mail first."
    )
    var bySender = false

    @Flag(name: .long, help: "Ask again, although the sender was asked less than ten days ago.")
    var again = false

    @Argument(help: "Message ids (opus list), or addresses of senders.")
    var messages: [String] = []

    func validate() throws {
        if bySender != messages.isEmpty {
            throw ValidationError("say which messages or senders: opus unsubscribe 7k2q; or --by-sender")
        }
    }

    func run() async throws {
        let console = global.console()
        if bySender { return try list(console) }
        let result = Written()
        try await Session.with(try global.sessionOptions(), .reading) { session in
            let words = try session.unsubscribing.messages(messages, account: global.account)
            for word in words {
                do {
                    try await unsubscribe(word, session, console, result)
                } catch let problem as Problem where words.count > 1 && problem.code != "needs-yes" {
                    console.report(problem)
                    result.hasFailed = true
                }
            }
        }
        if !result.drafts.isEmpty {
            try await Outgoing(global: global, console: console).send(result.drafts, with: sending)
        }
        if result.hasFailed { throw Outcome(status: .someFailed) }
    }

    private func unsubscribe(
        _ word: String, _ session: Session, _ console: Console, _ result: Written
    ) async throws {
        let plan = try session.unsubscribing.plan(word)
        if case .draft(let draft) = try session.unsubscribing.openMail(plan) {
            // A new draft replaces an earlier one, and covers all messages of this sender.
            if !result.drafts.contains(where: { $0.messageID == draft.messageID }) {
                result.drafts.append(draft)
            }
            return
        }
        if let words = try UnsubscribeText.alreadyAsked(plan, session, again: again) {
            return say(words, console)
        }
        switch plan.way {
        case .post(let address):
            say("POST List-Unsubscribe=One-Click to \(address)", console)
            warn(plan, console)
            guard try agrees(console, "Ask \(address.server) to unsubscribe you?") else { return }
            try await session.unsubscribing.post(address, plan, caFile: certificates.caFile, again: again)
            say("\(address.server) accepted the request.", console)
        case .mail(let to, let subject, let body):
            say("mail to \(to), subject “\(subject)”", console)
            if !body.isEmpty { say("text: \(body)", console) }
            warn(plan, console)
            guard sending.yes || console.canAsk else { throw needsYes }
            guard let draft = try session.unsubscribing.draft(plan) else { return }
            result.drafts.append(try session.drafts.keep(draft))
            try session.unsubscribing.note(plan, draft: draft)
        case .page: return
        }
    }

    private func list(_ console: Console) throws {
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let senders = try session.listSenders.byVolume(account: global.account)
        if console.isJSON { return try console.print(json: ListSendersDocument(senders, session.zone)) }
        guard !senders.isEmpty else { return console.print("No sender offers a way to unsubscribe.") }
        for sender in senders { console.print(ListSenderText.line(sender, session.zone)) }
        console.note("next: opus unsubscribe ID…")
    }

    /// With `--json`, standard output has only the document.
    private func say(_ text: String, _ console: Console) {
        let line = TerminalText.line(text)
        if console.isJSON { console.tell(line) } else { console.print(line) }
    }

    private func warn(_ plan: UnsubscribePlan, _ console: Console) {
        for warning in plan.warnings { console.note(console.style.yellow("! ") + TerminalText.line(warning)) }
    }

    private func agrees(_ console: Console, _ question: String) throws -> Bool {
        if sending.yes { return true }
        guard console.canAsk else { throw needsYes }
        if console.ask(TerminalText.line(question)) { return true }
        console.note("Nothing was done.")
        return false
    }

    private var needsYes: Problem {
        Problem.needsYes(next: ["opus unsubscribe \(messages.joined(separator: " ")) --yes"])
    }

    private final class Written: @unchecked Sendable {
        var drafts: [OpenDraft] = []
        var hasFailed = false
    }
}

/// What opus says when a sender was asked to stop before.
enum UnsubscribeText {
    /// nil: the sender can be asked.
    static func alreadyAsked(
        _ plan: UnsubscribePlan, _ session: Session, again: Bool = false
    ) throws -> String? {
        let sender = plan.sender ?? "the sender"
        if !again, let asked = try session.unsubscribing.askedAt(plan) {
            let day = session.zone.local(asked).date
            return TerminalText.line("\(sender) was asked to stop on \(day), and has ten days to do so")
        }
        let place: String
        switch try session.unsubscribing.openMail(plan) {
        case .draft(let draft):
            place = "not sent yet: opus send \(try session.drafts.shortName(of: draft.stored))"
        case .inOutbox(let name): place = "in the outbox: \(name)"
        case nil: return nil
        }
        return TerminalText.line("the mail that asks \(sender) to stop is \(place)")
    }
}
