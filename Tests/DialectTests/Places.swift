import DialectServer
import MailStore
import Models

/// A message at a place with its marks: what we hold and what is true are compared as multisets of these.
struct Place: Hashable, Comparable, CustomStringConvertible {
    var mailbox: String
    var subject: String
    /// The readable text, to its first line's end: that the body is this message's.
    var text: String
    var marks: [String]

    var description: String {
        "\(mailbox)/\(subject)\(marks.isEmpty ? "" : " " + marks.joined(separator: " "))"
            + (text.contains(subject) ? "" : " with the text \(text.debugDescription)")
    }

    static func < (a: Self, b: Self) -> Bool { a.description < b.description }
}

/// Two multisets of places, and what only one of them has.
struct PlaceComparison: CustomStringConvertible {
    var missing: [Place]
    var surplus: [Place]

    init(held: [Place], truth: [Place]) {
        var counts: [Place: Int] = [:]
        for place in truth { counts[place, default: 0] += 1 }
        for place in held { counts[place, default: 0] -= 1 }
        missing = counts.flatMap { Array(repeating: $0.key, count: max(0, $0.value)) }.sorted()
        surplus = counts.flatMap { Array(repeating: $0.key, count: max(0, -$0.value)) }.sorted()
    }

    var isEqual: Bool { missing.isEmpty && surplus.isEmpty }

    var description: String {
        guard !isEqual else { return "equal" }
        return "not here: \(missing); here only: \(surplus)"
    }
}

extension MailModel {
    /// What a client should hold of the mailboxes in `names`.
    func places(in names: Set<String>) -> [Place] {
        mailboxes.filter { names.contains($0.name) }.flatMap { mailbox in
            mailbox.messages.map { message in
                let text = String(decoding: bytes(message), as: UTF8.self)
                return Place(
                    mailbox: mailbox.name, subject: Self.word(after: "Subject: ", in: text),
                    text: "This is \(Self.word(after: "This is ", in: text))",
                    marks: marks(message))
            }
        }
    }

    /// Gmail's flags are compared; its labels are of another kind, and have tests of their own.
    private func marks(_ message: Message) -> [String] {
        message.flags.map { $0.lowercased() }.filter {
            $0 != "\\recent" && (!isGmailAccount || $0.hasPrefix("\\"))
        }
        .sorted()
    }

    private static func word(after mark: String, in text: String) -> String {
        guard let start = text.utf8Index(after: mark) else { return "" }
        return String(text[start...].prefix { $0 != "\r\n" && $0 != "\r" && $0 != "\n" })
    }
}

extension String {
    fileprivate func utf8Index(after mark: String) -> String.Index? {
        let bytes = Array(utf8)
        let wanted = Array(mark.utf8)
        guard bytes.count >= wanted.count else { return nil }
        for start in 0...(bytes.count - wanted.count)
        where bytes[start] == wanted[0] && bytes[start..<(start + wanted.count)].elementsEqual(wanted) {
            return utf8.index(utf8.startIndex, offsetBy: start + wanted.count)
        }
        return nil
    }
}

extension Store {
    /// What we hold of an account.
    func places(of account: AccountID, withKeywords: Bool) throws -> [Place] {
        try messages.facts(.everything(account), including: .text).map { facts in
            let text = (facts.text ?? "").prefix { $0 != "\n" && $0 != "\r\n" && $0 != "\r" }
            return Place(
                mailbox: facts.mailbox.name.description, subject: facts.subject, text: String(text),
                marks: (facts.flags.map { "\\" + $0.rawValue }
                    + (withKeywords ? facts.keywords.map { $0.rawValue.lowercased() } : [])).sorted())
        }
    }
}
