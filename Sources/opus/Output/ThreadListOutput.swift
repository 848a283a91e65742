import Documents
import Models
import Pipeline

/// Conversations as a table, tab-separated lines, or `opus.threads/1`.
struct ThreadListOutput {
    let session: Session
    let console: Console

    /// `doubts`: reasons why the query may have found nothing.
    func show(_ listing: ThreadListing, doubts: [String] = []) throws {
        if console.isJSON {
            return try console.print(
                json: ThreadsDocument(listing, zone: session.zone, warnings: doubts))
        }
        for doubt in doubts { console.note(console.style.yellow("! ") + TerminalText.line(doubt)) }
        let when = When(zone: session.zone, now: session.now)
        guard console.isTerminal else {
            return console.print(lines: listing.lines.map(machine))
        }
        var table = Table([
            .init(title: "#", alignsRight: true), .init(title: ""), .init(title: "ID"),
            .init(title: "AGE", alignsRight: true), .init(title: "WHO"),
            .init(title: "N", alignsRight: true), .init(title: "SUBJECT", isFlexible: true),
            .init(title: "STATE", isFlexible: true),
        ])
        for (index, line) in listing.lines.enumerated() {
            table.add([index < 999 ? "\(index + 1)" : ""] + row(line, when))
        }
        console.print(table)
        session.threads.rememberRows(listing.lines)
        foot(listing)
    }

    private func row(_ line: ThreadLine, _ when: When) -> [String] {
        [
            line.unread > 0 ? "●" : " ", line.shortID, when.age(line.latest),
            TerminalText.truncated(TerminalText.line(who(line)), to: console.width < 100 ? 18 : 24),
            "\(line.messages.count)",
            TerminalText.line(line.subject.isEmpty ? "(no subject)" : line.subject),
            state(line) + (line.attachments > 0 ? " 📎" : ""),
        ]
    }

    private func machine(_ line: ThreadLine) -> String {
        [
            line.shortID, session.zone.rfc3339(line.latest), "\(line.messages.count)", "\(line.unread)",
            TerminalText.line(line.participants.map(\.address.addrSpec).joined(separator: ",")),
            TerminalText.line(line.subject), state(line), TerminalText.line(line.snippet),
        ].joined(separator: "\t")
    }

    /// The names of those who wrote, the user as `me`.
    private func who(_ line: ThreadLine) -> String {
        var names: [String] = []
        for one in line.participants.prefix(10) {
            let name = one.isUser ? "me" : one.address.name
            if !names.contains(name) { names.append(name) }
        }
        return names.isEmpty ? "(no sender)" : names.joined(separator: ", ")
    }

    private func state(_ line: ThreadLine) -> String {
        var words: [String] = []
        if line.unread > 0 { words.append("\(line.unread) new") }
        if line.isFlagged { words.append("flagged") }
        if line.isWaiting { words.append("waiting") }
        if !line.isWaiting, let task = line.tasks.first { words.append("task \(TaskName.short(task))") }
        return words.joined(separator: ", ")
    }

    private func foot(_ listing: ThreadListing) {
        let unread = listing.lines.count { $0.unread > 0 }
        let shown = listing.lines.count
        let words =
            shown == 0 ? "No conversations" : "\(counted(shown, "conversation")), \(unread) with unread mail"
        console.note(console.style.dim(words + "."))
        if shown < listing.count { console.note("\(listing.count - shown) more (--limit \(shown))") }
    }
}
