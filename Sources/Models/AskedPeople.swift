/// Whom a task waits for, from its file.
extension Todo {
    /// The people that a task waits for; in the file, several are separated by commas. A person whom the user names in
    /// CONTACT instead of the one whom opus noted counts.
    public var askedPeople: [EmailAddress] {
        let noted = Self.people(waitingOn ?? "")
        let named = Self.people(contact ?? "")
        guard !noted.isEmpty, !hasOtherContact else { return named }
        return noted.map { address in named.first { $0.comparable == address.comparable } ?? address }
    }

    /// Whether the user changed CONTACT: it names addresses, and lacks one that opus noted. A contact that has all of them
    /// proves nothing, because a name that a stranger chose may look like an address. Nor does a list that was too long.
    public var hasOtherContact: Bool {
        guard let waitingOn, let contact, contact.count < Self.longContact else { return false }
        let named = Set(Self.people(contact).map(\.comparable))
        return !named.isEmpty && !Set(Self.people(waitingOn).map(\.comparable)).isSubset(of: named)
    }

    /// In characters.
    private static let longContact = 1_900

    private static func people(_ text: String) -> [EmailAddress] {
        text.split(separator: ",").prefix(50).compactMap { part in
            var part = part[...]
            var name = Substring()
            if let open = part.lastIndex(of: "<"), let close = part.lastIndex(of: ">"), open < close {
                name = part[..<open]
                part = part[part.index(after: open)..<close]
            }
            let text = part.filter { !$0.isWhitespace }
            guard text.contains("@"), !text.contains("<") else { return nil }
            let clean = name.filter { $0 != "\"" }.split(separator: " ").joined(separator: " ")
            return EmailAddress(text, displayName: clean)
        }
    }
}
