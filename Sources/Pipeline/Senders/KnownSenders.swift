import MIMEParser
import Models
import Rules

/// The senders whose mail needs no decision, because it always or never goes to the inbox.
struct KnownSenders {
    /// The user's own, by `EmailAddress.mailComparable`, as all of them.
    var own: Set<String> = []
    /// The people to whom the user wrote, those of the address book, and senders of earlier mail.
    var addresses: Set<String> = []
    /// The people of the address book.
    var contacts: [EmailAddress] = []
    var approved = ListEntries([])
    var denied = ListEntries([])

    func knows(_ sender: EmailAddress) -> Bool {
        own.contains(sender.mailComparable) || addresses.contains(sender.mailComparable)
            || approved.contains(sender)
    }

    /// The first of these that applies to the sender decides:
    ///
    /// | the sender is | denied |
    /// |---|---|
    /// | the user | no |
    /// | an address in `denied` | yes |
    /// | an address in `approved`, or in ``addresses`` | no |
    /// | in a domain of `denied` | yes |
    func denies(_ sender: EmailAddress) -> Bool {
        if own.contains(sender.mailComparable) { return false }
        if denied.names(sender) { return true }
        return denied.contains(sender) && !approved.names(sender)
            && !addresses.contains(sender.mailComparable)
    }
}

/// Reads the people of an address book: a vCard file (RFC 6350), or one address per line.
enum AddressBook {
    private static let mostBytes = 8 << 20

    /// The address of each person, with the formatted name (FN) of the card.
    static func people(in text: String) -> [EmailAddress] {
        guard text.utf8.count <= mostBytes else { return [] }
        var people: [EmailAddress] = []
        // The people of the card that is being read, and its name, which may come after the addresses.
        var (card, name): ([EmailAddress], String) = ([], "")
        func end() {
            people += card.map { EmailAddress(displayName: name, localPart: $0.localPart, domain: $0.domain) }
            (card, name) = ([], "")
        }
        for line in lines(of: text) {
            let property = line.prefix { $0 != ":" && $0 != ";" }.uppercased()
            let value = value(of: line)
            switch property.split(separator: ".").last ?? "" {
            case "BEGIN", "END": end()
            case "FN": name = String(value).replacing("\\,", with: ",").replacing("\\;", with: ";")
            case "EMAIL": card += [address(value)].compactMap(\.self)
            case _ where line.contains(":"): continue
            case _: people += [address(line)].compactMap(\.self)
            }
        }
        end()
        return people
    }

    /// A long line of a vCard is folded: it continues in lines that begin with a blank. RFC 6350 §3.2.
    private static func lines(of text: String) -> [Substring] {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.contains(where: { $0.uppercased().hasPrefix("BEGIN:VCARD") }) else { return lines }
        var whole: [Substring] = []
        for line in lines {
            if let last = whole.indices.last, line.first == " " || line.first == "\t" {
                whole[last] += line.dropFirst()
            } else {
                whole.append(line)
            }
        }
        return whole
    }

    /// What comes after the first colon that is not in a quoted parameter.
    private static func value(of line: Substring) -> Substring {
        var isQuoted = false
        let colon = line.firstIndex { character in
            if character == "\"" { isQuoted.toggle() }
            return character == ":" && !isQuoted
        }
        return colon.map { line[line.index(after: $0)...] } ?? line
    }

    private static func address(_ text: Substring) -> EmailAddress? {
        let word = text.prefix { $0 != "#" }.filter { !$0.isWhitespace }
        guard let address = EmailAddress(word), address.domain.contains(".") else { return nil }
        return address
    }
}
