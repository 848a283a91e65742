import Models
import Rules

/// The senders whose mail needs no decision, because it always or never goes to the inbox.
struct KnownSenders {
    /// By ``EmailAddress/comparable``.
    var addresses: Set<String> = []
    var approved = ListEntries([])
    var denied = ListEntries([])

    func knows(_ sender: EmailAddress) -> Bool {
        addresses.contains(sender.comparable) || approved.contains(sender)
    }

    /// A sender in both lists counts as denied. An address in ``addresses`` is never denied.
    func denies(_ sender: EmailAddress) -> Bool {
        denied.contains(sender) && !addresses.contains(sender.comparable)
    }
}

/// Reads the addresses of an address book: a vCard file, or one address per line.
enum AddressBook {
    private static let mostBytes = 8 << 20

    static func addresses(in text: String) -> Set<String> {
        guard text.utf8.count <= mostBytes else { return [] }
        var found: Set<String> = []
        for line in text.split(whereSeparator: \.isNewline) {
            let name = line.prefix { $0 != ":" && $0 != ";" }.uppercased()
            let isCard = name == "EMAIL" || name.hasSuffix(".EMAIL")
            let value =
                isCard ? line.split(separator: ":", maxSplits: 1).last : line.contains(":") ? nil : line[...]
            guard let word = value?.prefix(while: { $0 != "#" }), let address = address(word) else {
                continue
            }
            found.insert(address)
        }
        return found
    }

    private static func address(_ text: Substring) -> String? {
        let word = text.filter { !$0.isWhitespace }
        guard let address = EmailAddress(word), address.domain.contains(".") else { return nil }
        return address.comparable
    }
}
