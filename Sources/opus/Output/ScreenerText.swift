import Models
import Pipeline

/// The lines of the screener. Names, addresses and subjects come from strangers.
enum ScreenerText {
    static func lines(_ sender: ScreenedSender) -> [String] {
        guard let newest = sender.messages.first else { return [] }
        let count = sender.messages.count > 1 ? "  (\(sender.messages.count) messages)" : ""
        let who = sender.address.map { TerminalText.line($0.description) } ?? "(no sender)"
        let subject = newest.subject.isEmpty ? "(no subject)" : TerminalText.line(newest.subject)
        var lines = ["\(sender.shortID)  \(who)  \(subject)\(count)"]
        if !sender.replyTo.isEmpty {
            lines.append(
                "      answers go to "
                    + sender.replyTo.map { TerminalText.line($0.addrSpec) }.joined(separator: ", "))
        }
        if let person = sender.looksLike {
            lines.append("      looks like \(TerminalText.line(person.description)), but has another address")
        }
        return lines
    }

    static func lines(_ mails: [ScreenedMail], isPreview: Bool) -> [String] {
        mails.map { one in
            let words =
                if isPreview {
                    one.isDenied ? "would go to the trash (denied): " : "would wait in the screener: "
                } else {
                    one.isDenied ? "to the trash (denied): " : "waits in the screener: "
                }
            return words + ReturnedText.words(one.mail)
        }
    }

    static func line(_ record: SenderRecord, _ zone: ZoneClock) -> String {
        let words = record.isListed ? "into" : "out of"
        let undone = record.isUndone ? "  (undone)" : ""
        return
            "\(record.run)  \(zone.local(record.at).date)  \(record.cause.name)  \(TerminalText.line(record.entry)) \(words) \(record.list.path)\(undone)"
    }
}
