import Inspection
import Models
import Pipeline

/// One message as text: header, facts, body, attachments.
struct MessageOutput {
    let console: Console

    func show(_ headers: [HeaderField]) {
        for header in headers {
            console.print(
                console.style.bold(TerminalText.line(header.name)) + ": " + TerminalText.line(header.body))
        }
    }

    /// A message of an account, as the store has it.
    func show(_ view: MessageView, _ session: Session) {
        let facts = view.line.facts
        addresses(facts.from, facts.to, facts.cc)
        field("Date", When(zone: session.zone, now: session.now).moment(facts.date))
        field("Subject", facts.subject)
        field("In", view.mailboxes.joined(separator: ", "))
        field("Id", "m:\(view.line.shortID)")
        for file in view.tasks {
            let todo = file.todo
            field(
                "Task", "\(TaskName.short(todo.id))  \(todo.list)  \(TaskWord.status(todo))  \(todo.summary)")
        }
        for fact in view.facts { field(fact.name, fact.words) }
        if !facts.exceededLimits.isEmpty {
            let limits = facts.exceededLimits.joined(separator: ", ")
            field("Limits", "read only in part (\(limits)): opus show --structure \(view.line.shortID)")
        }
    }

    /// A message of a file.
    func show(_ summary: MessageSummary, of message: OpenMessage) {
        addresses(summary.from, summary.to, summary.cc)
        field("Date", summary.date ?? "")
        field("Subject", summary.subject)
        field("File", message.name == "-" ? "(standard input)" : message.name)
        for fact in summary.facts { field(fact.name, fact.words) }
        if let defects = DefectWords.count(summary.defects) {
            field("Defects", "\(defects): opus show --structure \(message.name)")
        }
    }

    func show(text: String, isTruncated: Bool, _ attachments: [Attachment]) {
        let style = console.style
        console.print(TerminalText.block(text))
        if isTruncated {
            console.print(style.dim("[the rest of this long message was not fetched: opus show --raw]"))
        }
        for attachment in attachments {
            let name = TerminalText.line(attachment.name.isEmpty ? "(no name)" : attachment.name)
            let type = TerminalText.line(attachment.contentType)
            console.print(
                style.dim("[\(attachment.section)] ") + name
                    + style.dim("  \(type), \(counted(attachment.size, "byte"))"))
        }
    }

    private func addresses(_ from: [EmailAddress], _ to: [EmailAddress], _ cc: [EmailAddress]) {
        for (name, people) in [("From", from), ("To", to), ("Cc", cc)] {
            field(name, people.map(\.description).joined(separator: ", "))
        }
    }

    private func field(_ name: String, _ text: String) {
        guard !text.isEmpty else { return }
        console.print(console.style.dim(TerminalText.padded(name, to: 10)) + TerminalText.line(text))
    }
}
