import Documents
import Models
import Pipeline

/// Messages as a table, tab-separated lines, or `opus.messages/1`.
struct MessageListOutput {
    let session: Session
    let console: Console

    /// Shows at most `limit` messages, and the number of the others.
    func show(_ lines: [MessageLine], limit: Int?, next: String?) throws {
        let shown = limit.map { Array(lines.prefix(max(0, $0))) } ?? lines
        try show(shown, next: next)
        if shown.count < lines.count {
            console.note("\(lines.count - shown.count) more (--limit \(shown.count))")
        }
    }

    /// `doubts`: reasons why the query may have found nothing. `below`: an escaped text below a row, on a terminal.
    /// `notes`: text before the state of a row.
    func show(
        _ lines: [MessageLine], next: String?, doubts: [String] = [], below: [EmailID: String] = [:],
        notes: [EmailID: String] = [:]
    ) throws {
        if console.isJSON {
            return try console.print(json: MessagesDocument(lines, zone: session.zone, warnings: doubts))
        }
        for doubt in doubts { console.note(console.style.yellow("! ") + TerminalText.line(doubt)) }
        let when = When(zone: session.zone, now: session.now)
        guard console.isTerminal else {
            printMachine(lines)
            return
        }
        var table = Table([
            .init(title: "#", alignsRight: true), .init(title: ""), .init(title: "ID"),
            .init(title: "AGE", alignsRight: true),
            .init(title: "FROM"), .init(title: "SUBJECT", isFlexible: true),
            .init(title: "STATE", isFlexible: true),
        ])
        for (index, line) in lines.enumerated() {
            var cells = row(line, when)
            if let note = notes[line.facts.id] {
                cells[cells.count - 1] = [note, cells.last ?? ""].filter { !$0.isEmpty }.joined(
                    separator: ", ")
            }
            table.add([index < 999 ? "\(index + 1)" : ""] + cells)
        }
        if below.isEmpty {
            console.print(table)
        } else {
            print(table, lines, below)
        }
        session.messages.rememberRows(lines)
        foot(lines, next: next)
    }

    /// One line of tabs each, for programs.
    func printMachine(_ lines: [MessageLine]) {
        let when = When(zone: session.zone, now: session.now)
        for line in lines { console.print(machine(line, when)) }
    }

    /// Each row with what belongs below it.
    private func print(_ table: Table, _ lines: [MessageLine], _ below: [EmailID: String]) {
        let rows = table.text(width: console.width, style: console.style).split(
            separator: "\n", omittingEmptySubsequences: false)
        var texts = rows.prefix(1).map(String.init)
        for (row, line) in zip(rows.dropFirst(), lines) {
            texts.append(String(row))
            if let text = below[line.facts.id] { texts.append("         " + text) }
        }
        console.print(texts.joined(separator: "\n"))
    }

    private func row(_ line: MessageLine, _ when: When) -> [String] {
        let facts = line.facts
        let from = facts.from.first?.name ?? "(no sender)"
        let clip = facts.attachments.contains { !$0.isInline } ? " 📎" : ""
        return [
            line.isUnread ? "●" : " ", line.shortID, when.age(facts.received),
            TerminalText.truncated(TerminalText.line(from), to: console.width < 100 ? 18 : 24),
            TerminalText.line(facts.subject.isEmpty ? "(no subject)" : facts.subject),
            state(line, when) + clip,
        ]
    }

    private func machine(_ line: MessageLine, _ when: When) -> String {
        let facts = line.facts
        return [
            line.shortID, session.zone.rfc3339(facts.received),
            TerminalText.line(facts.from.first?.addrSpec ?? ""),
            TerminalText.line(facts.subject), state(line, when),
        ].joined(separator: "\t")
    }

    private func state(_ line: MessageLine, _ when: When) -> String {
        var words: [String] = []
        if line.isUnread { words.append("new") }
        if line.facts.flags.contains(.flagged) { words.append("flagged") }
        for state in line.states {
            switch state {
            case .deferred(.time(let time)): words.append("deferred → \(when.moment(time))")
            case .deferred(.someday): words.append("someday")
            case .back: words.append("back")
            case .waiting(let answered): words.append(answered ? "waiting ← answered" : "waiting")
            case .answered(days: 0): words.append("answered on the same day")
            case .answered(let days): words.append("answered after \(counted(Int(days), "day"))")
            case .task(let id): words.append("task \(TaskName.short(id))")
            }
        }
        words += line.facts.keywords.sorted().prefix(3).map { TerminalText.line($0.rawValue) }
        return words.joined(separator: ", ")
    }

    private func foot(_ lines: [MessageLine], next: String?) {
        let unread = lines.filter(\.isUnread).count
        let count = counted(lines.count, "message")
        let deferred = lines.filter { line in
            line.states.contains { state in
                if case .deferred = state { return true }
                return false
            }
        }.count
        var words = lines.isEmpty ? "No messages" : "\(count), \(unread) unread"
        if deferred > 0 { words += ", \(deferred) deferred" }
        console.note(console.style.dim(words + "." + (next.map { "      next: \($0)" } ?? "")))
    }
}
