import Documents
import Models
import Pipeline

/// Shows mails of the outbox.
struct OutboxOutput {
    let session: Session
    let console: Console

    func show(_ lines: [OutboxLine]) throws {
        let when = When(zone: session.zone, now: session.now)
        var table = Table([
            .init(title: "ID"), .init(title: "STATE"), .init(title: "WHEN"),
            .init(title: "TO", isFlexible: true),
            .init(title: "SUBJECT", isFlexible: true), .init(title: "WHY", isFlexible: true),
        ])
        for line in lines {
            let time = line.dueAt ?? line.queuedAt
            table.add([
                line.id, line.state.rawValue,
                console.isTerminal ? when.moment(time) : session.zone.rfc3339(time),
                TerminalText.line(line.recipients.joined(separator: ", ")), TerminalText.line(line.subject),
                TerminalText.line(line.reason ?? ""),
            ])
        }
        console.print(table)
        let hasOther = try tellStranded()
        if lines.isEmpty, !hasOther { console.note("The outbox is empty.") }
        if lines.contains(where: { $0.state == .needsDecision }) {
            console.note("next: opus outbox settle ID --sent      or  --not-sent (sends it again)")
        }
        if lines.contains(where: { $0.state == .held }) {
            console.note("next: opus outbox retry ID      or  opus outbox discard ID")
        }
    }

    /// Names mail that opus does not send, because opus.yaml no longer has its account. Returns whether there is any.
    @discardableResult
    func tellStranded() throws -> Bool {
        let stranded = try session.outbox.stranded()
        for (account, mails) in stranded {
            console.note(
                TerminalText.line(
                    "! account \(account) is not in opus.yaml: \(counted(mails, "mail")) in its outbox \(mails == 1 ? "is" : "are") not sent"
                ))
            console.note("next: add the account again, with the name \(TerminalText.line(account.rawValue))")
        }
        return !stranded.isEmpty
    }

    /// Prints the result of one mail in a line, with the reply of the server.
    func tell(_ line: OutboxLine) {
        let to = TerminalText.line(line.recipients.joined(separator: ", "))
        let words = line.reason.map { ": " + TerminalText.line($0) } ?? ""
        switch line.state {
        case .sent:
            console.print("Sent \(line.id) to \(to).")
            for leftover in line.unfinished { tell(leftover) }
        case .queued, .held:
            let due = line.dueAt.flatMap { $0 > session.now ? $0 : nil }
            let until = due.map { " until \(session.zone.local($0).clock)" } ?? ""
            console.print("In the outbox\(until): \(line.id) to \(to)\(words)")
            if line.isOverdue(at: session.now), line.reason != nil {
                console.note("next: opus run sends it      or  opus outbox discard \(line.id)")
            }
        case .sending, .unknown:
            console.print("Not confirmed yet: \(line.id) to \(to)\(words)")
            console.note("The next run checks whether it arrived; it is not sent again.")
        case .failed:
            console.print(console.style.red("failed ") + "\(line.id) to \(to)\(words)")
            console.note("next: opus drafts edit \(line.id)      or  opus outbox retry \(line.id)")
        case .needsDecision:
            console.print(console.style.red("needs your decision ") + "\(line.id) to \(to)\(words)")
            console.note("next: opus outbox settle \(line.id) --sent      or  --not-sent (sends it again)")
        case .discarded: console.print("Cancelled: \(line.id) was not sent.")
        }
        for (address, words) in line.refusals.sorted(by: { $0.key < $1.key }) {
            console.print("  " + TerminalText.line("\(address): \(words)"))
        }
    }

    /// The mail was sent, but this part of the work failed or waits.
    private func tell(_ leftover: OutboxLine.Leftover) {
        let what =
            switch leftover.part {
            case .copy: "its copy could not be put into Sent"
            case .draft: "its draft could not be removed"
            }
        let reason = leftover.reason.map { ": " + TerminalText.line($0) } ?? ""
        console.note("  \(what)\(reason)\(leftover.isFailed ? "" : "; the next run tries again")")
    }

    /// Sends what is due, and prints the result of this mail.
    func deliver(_ mail: OutboxLine) async throws {
        let report = try await session.journal.deliver(mail.account)
        try await session.sending.finish(mail.account)
        let line = try session.outbox.mail(mail.name)
        if console.isJSON {
            try console.print(json: OutboxDocument([line], zone: session.zone))
        } else {
            tell(line)
        }
        guard line.state != .queued else { throw Outcome(status: .waiting(after: report)) }
        if line.state.undelivered != .done { throw Outcome(status: line.state.undelivered) }
    }
}

extension OutboxLine.State {
    /// The exit code of a command that tried to send it: 69 if it was refused, 75 if it may still arrive. A mail that waits
    /// has the code of what it waits for.
    var undelivered: ExitStatus {
        switch self {
        case .sent, .discarded, .queued: .done
        case .failed: .unavailable
        case .held, .sending, .unknown, .needsDecision: .temporary
        }
    }
}
