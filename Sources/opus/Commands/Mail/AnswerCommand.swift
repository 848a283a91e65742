import ArgumentParser
import Documents
import Models
import Pipeline

struct AnswerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer", abstract: "Answer an invitation: yes, no or maybe.",
        discussion: """
            Sends the answer to the organizer, as a mail that calendar programs read (RFC 5546), from the address that was \
            invited. Shows the mail and asks. Warns when the invitation came from another domain than the organizer's. The \
            same answer is sent only once; a different one replaces it. Answers that another mail program saved in Sent count too.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var sending: SendingOptions

    @Option(name: .long, help: ArgumentHelp("Add a note to the organizer.", valueName: "text"))
    var note: String?

    @Flag(name: .long, help: "Send the answer even if you have answered already.")
    var again = false

    @Argument(help: "A message id (opus list is:invite).")
    var message: String

    @Argument(help: "yes, no or maybe.")
    var answer: Word

    enum Word: String, ExpressibleByArgument, CaseIterable {
        case yes
        case no
        case maybe

        var answer: InvitationAnswer {
            switch self {
            case .yes: .yes
            case .no: .no
            case .maybe: .maybe
            }
        }
    }

    func run() async throws {
        let console = global.console()
        let result = Written()
        try await Session.with(try global.sessionOptions(), .changing) { session in
            try session.messages.require(message, in: global.account)
            try await session.invitations.lookAgain(message)
        }
        try await Session.with(try global.sessionOptions(), .reading) { session in
            let plan = try await session.invitations.plan(
                message, answer.answer, note: note ?? "", again: again)
            if plan.isRepeated, let earlier = plan.earlier {
                return try tellRepeated(earlier, session, console)
            }
            show(plan, session, console)
            result.draft = try session.drafts.keep(plan.draft)
        }
        if let draft = result.draft {
            try await Outgoing(global: global, console: console).send([draft], with: sending)
        }
    }

    private func show(_ plan: InvitationAnswering.Plan, _ session: Session, _ console: Console) {
        let when = When(zone: session.zone, now: session.now)
        let start = plan.start.map { when.text($0) } ?? "without a date"
        console.note("Event    " + TerminalText.line(plan.summary))
        console.note("When     " + start)
        if let words = plan.earlier.map({ self.words($0, when) }) {
            console.note("Changes  your earlier answer: \(words)")
        }
        for warning in plan.warnings { console.note(console.style.yellow("! ") + TerminalText.line(warning)) }
    }

    private func tellRepeated(
        _ earlier: InvitationAnswering.Earlier, _ session: Session, _ console: Console
    ) throws {
        let lines = try session.outbox.list(account: nil, all: true).filter {
            $0.messageID == earlier.messageID
        }
        if console.isJSON { return try console.print(json: OutboxDocument(lines, zone: session.zone)) }
        let words = self.words(earlier, When(zone: session.zone, now: session.now))
        console.print(
            earlier.answer == nil && !earlier.isByOpus
                ? "You have replied to this invitation already: \(words). Nothing was sent."
                : "You have answered already: \(words). Nothing was sent.")
        console.note(
            earlier.sentAt == nil
                ? "next: opus outbox"
                : "next: opus answer \(message) \(answer.rawValue) --again      sends it again")
    }

    private func words(_ earlier: InvitationAnswering.Earlier, _ when: When) -> String {
        let state = earlier.sentAt.map { "sent " + when.moment($0) } ?? "in the outbox"
        return [earlier.answer?.rawValue, state].compactMap(\.self).joined(separator: ", ")
    }

    /// Passes the draft out of the session. Used by one task only.
    private final class Written: @unchecked Sendable {
        var draft: OpenDraft?
    }
}
