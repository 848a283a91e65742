import Models

/// One line in the notes of a task for each reply; the link to the mail stays on the last line.
enum ReplyNote {
    /// `Reply 2026-03-11 from Bob Singh: Re: Server move`
    static func line(_ facts: MessageFacts, _ kind: AnswerKind, _ zone: ZoneClock) -> String {
        let subject = String(clean(facts.subject).prefix(120))
        return "\(mark(kind)) \(zone.local(facts.date).date) from \(name(facts)): \(subject)"
    }

    private static func mark(_ kind: AnswerKind) -> String {
        switch kind {
        case .human: "Reply"
        case .automaticReply: "Automatic reply"
        case .bounce(recipients: _, let isPermanent): isPermanent ? "Not delivered" : "Delayed"
        case .receipt: "Receipt"
        case .calendar: "Calendar"
        case .list: "List"
        }
    }

    private static let marks = [
        "Reply", "Automatic reply", "Not delivered", "Delayed", "Receipt", "Calendar", "List",
    ]

    /// For the line of a run: `a reply from Bob Singh`
    static func news(_ facts: MessageFacts, _ kind: AnswerKind) -> String {
        let what =
            switch kind {
            case .human: "a reply"
            case .automaticReply: "an automatic reply"
            case .bounce(recipients: _, isPermanent: true): "a report that its mail was not delivered"
            case .bounce(recipients: _, isPermanent: false): "a report that its mail is delayed"
            case .receipt: "a receipt"
            case .calendar: "a calendar mail"
            case .list: "a mail of list software"
            }
        return "\(what) from \(name(facts))"
    }

    static func name(_ facts: MessageFacts) -> String {
        let name = facts.from.first.map(\.name) ?? "an unknown sender"
        return String(clean(name).prefix(60))
    }

    static func count(_ notes: String) -> Int {
        notes.split(whereSeparator: \.isNewline).count { line in marks.contains { line.hasPrefix($0 + " 2") }
        }
    }

    /// Whether the notes have the complete line: the subject of one reply may be the beginning of another's.
    static func has(_ line: String, in notes: String) -> Bool {
        notes.split(whereSeparator: \.isNewline).contains { $0 == line }
    }

    static func adding(_ line: String, to notes: String) -> String {
        var lines = notes.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let link = lines.lastIndex { $0.hasPrefix("Mail: <mid:") }
        guard let link else { return notes.isEmpty ? line : notes + "\n" + line }
        // Above the blank line before the link.
        let place = link > 0 && lines[link - 1].isEmpty ? link - 1 : link
        lines.insert(line, at: place)
        if place == link { lines.insert("", at: link + 1) }
        return lines.joined(separator: "\n")
    }

    /// The inverse of ``adding(_:to:)``; if the line is there several times, the last one goes.
    static func removing(_ line: String, from notes: String) -> String {
        var lines = notes.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let place = lines.lastIndex(of: line) else { return notes }
        lines.remove(at: place)
        if place == 0, lines.first == "" { lines.removeFirst() }
        return lines.joined(separator: "\n")
    }

    /// Untrusted text on one line.
    static func clean(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(500) {
            let isControl =
                scalar.properties.generalCategory == .control || scalar.value == 0x2028
                || scalar.value == 0x2029
            scalars.append(isControl ? " " : scalar)
        }
        return String(scalars)
    }
}
