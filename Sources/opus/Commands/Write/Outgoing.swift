import Documents
import Models
import Pipeline

/// Sends mails: shows them, asks, waits for the hold time, delivers, and reports each result.
struct Outgoing {
    let global: GlobalOptions
    let console: Console

    /// `partOf`: the run in which this command made the drafts; nil: a new run. `again`: send them even if they may have been
    /// sent before.
    func send(
        _ drafts: [OpenDraft], with options: SendingOptions, partOf whole: RunID? = nil, again: Bool = false
    ) async throws {
        let queued = try await queue(drafts, options, partOf: whole, again: again)
        guard !queued.isEmpty else { return }
        let due = queued.map(\.dueAt).max() ?? Timestamp(seconds: 0)
        let seconds = try holdSeconds(options)
        if seconds > 0 {
            let wait = try announce(due, drafts)
            if options.detach { return try show(queued) }
            try await hold(for: wait)
        } else if options.detach {
            return try show(queued)
        }
        try await deliver(queued, at: due)
    }

    private func holdSeconds(_ options: SendingOptions) throws -> Int {
        if options.noHold { return 0 }
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        return session.sending.holdSeconds
    }

    private func queue(
        _ drafts: [OpenDraft], _ options: SendingOptions, partOf whole: RunID?, again: Bool
    ) async throws -> [QueuedMail] {
        let result = Result()
        let hold = try holdSeconds(options)
        try await Session.with(try global.sessionOptions(), .changing) { session in
            let mails = try drafts.map { try session.sending.preview($0.stored, again: again) }
            for mail in mails { show(mail, session) }
            guard options.yes || console.canAsk else {
                let names = try drafts.map { try session.drafts.shortName(of: $0.stored) }.joined(
                    separator: " ")
                throw Problem.needsYes(
                    details: ["kept as draft \(names)"], next: ["opus send \(names) --yes"])
            }
            if !options.yes, !console.ask(mails.count == 1 ? "Send it?" : "Send these \(mails.count) mails?")
            {
                return console.note("Nothing was sent; the draft is kept.")
            }
            result.queued = try session.sending.queue(mails, hold: hold, partOf: whole)
        }
        return result.queued
    }

    private final class Result: @unchecked Sendable {
        var queued: [QueuedMail] = []
    }

    private func show(_ mail: MailPreview, _ session: Session) {
        console.note("From     " + TerminalText.line(mail.from.description))
        for (field, people) in [("To ", mail.to), ("Cc ", mail.cc), ("Bcc", mail.bcc)] where !people.isEmpty {
            console.note(
                "\(field)      " + TerminalText.line(people.map(\.description).joined(separator: ", ")))
        }
        console.note("Subject  " + TerminalText.line(mail.subject))
        if let wait = mail.wait { console.note("Wait     " + TerminalText.line(wait)) }
        for file in mail.files where !file.isEmpty { console.note("File     " + TerminalText.line(file)) }
    }

    // MARK: The hold

    /// Reports when the mail will be sent. Returns the time until then, in seconds.
    private func announce(_ due: Timestamp, _ drafts: [OpenDraft]) throws -> Int64 {
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let names = try drafts.map { try session.drafts.shortName(of: $0.stored) }.joined(separator: " ")
        console.note(
            "sends at \(session.zone.local(due).clock); opus outbox discard \(names) cancels it")
        return max(0, due - session.now)
    }

    /// Ctrl-C leaves the mail in the outbox.
    private func hold(for seconds: Int64) async throws {
        do {
            try await Task.sleep(for: .seconds(seconds))
        } catch {
            console.note("The mail is still in the outbox: the next opus run or opus watch sends it.")
            throw error
        }
    }

    // MARK: Delivery

    private func deliver(_ queued: [QueuedMail], at due: Timestamp) async throws {
        var options = try global.sessionOptions()
        // A fixed clock would never reach the end of the hold.
        if let now = options.now { options.now = max(now, due) }
        let ending = Ending()
        var failure: Problem?
        do {
            try await Session.with(options, .changing) { session in
                for mail in queued {
                    ending.add(try await session.journal.deliver(mail.account))
                    try await session.sending.finish(mail.account)
                }
            }
        } catch {
            if Task.isCancelled {
                // A mail that was on its way may have been sent, and the others are sent later.
                try? show(queued)
                throw error
            }
            failure = Problem(error)
        }
        try show(queued, waiting: ending.status)
        if let failure { throw failure }
    }

    /// The exit code for mails that could not be sent now. Used by one task only.
    private final class Ending: @unchecked Sendable {
        private(set) var status = ExitStatus.temporary

        func add(_ report: RunReport) { status = status.worse(.waiting(after: report)) }
    }

    /// Shows the state of each mail. `waiting`: the exit code for mails that should have been sent now; nil if none.
    private func show(_ queued: [QueuedMail], waiting: ExitStatus? = nil) throws {
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let wanted = Set(queued.flatMap(\.submissions))
        let lines = try session.outbox.list(account: nil, all: true).filter { wanted.contains($0.step) }
        let output = OutboxOutput(session: session, console: console)
        if console.isJSON {
            try console.print(json: OutboxDocument(lines, zone: session.zone))
        } else {
            for line in lines { output.tell(line) }
        }
        var status = lines.map(\.state.undelivered).first { $0 == .unavailable } ?? .done
        if status == .done { status = lines.map(\.state.undelivered).first { $0 != .done } ?? .done }
        if let waiting, lines.contains(where: { $0.state == .queued }) { status = status.worse(waiting) }
        if status != .done { throw Outcome(status: status) }
    }
}
