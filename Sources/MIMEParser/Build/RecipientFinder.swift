import Models

/// The recipients of an answer.
struct Recipients: Equatable {
    var to: [EmailAddress]
    var cc: [EmailAddress] = []
}

/// Finds the recipients of an answer, as users of mutt and notmuch expect them.
///
/// - To the writer: `Reply-To` without the user's own addresses, otherwise `From`. If the `Reply-To` of a list's mail only
///   repeats `To` or `Cc`, the list added it, and the reply goes to the writer. A reply never goes to a list by accident; `List-Post` needs a separate command.
/// - To the user's own message: its recipients. A message to the user with the user's `From` and the `Reply-To` of another
///   person comes from a contact form, and is not the user's own.
/// - To all: `Mail-Followup-To` if it names another person, otherwise the writer and `To`, and `Cc` as `Cc`.
/// - No recipient occurs twice, and the user is omitted, unless no other recipient remains.
struct RecipientFinder {
    /// The most recipients of an answer. A message with more is like a list.
    static let limit = 1_000

    let envelope: Envelope
    let followUp: [EmailAddress]
    let from: EmailAddress
    /// Whether a mailing list sent the message.
    let isFromList: Bool
    private let own: Set<String>

    init(
        envelope: Envelope, followUp: [EmailAddress], from: EmailAddress, own: [EmailAddress],
        isFromList: Bool
    ) {
        self.isFromList = isFromList
        self.envelope = envelope
        self.followUp = followUp
        self.from = from
        self.own = Set((own + [from]).map(Self.key))
    }

    func reply() -> Recipients { Recipients(to: usable(isOwnMessage ? ownTargets : writers)) }

    func replyAll() -> Recipients {
        let wished = others(followUp)
        if !wished.isEmpty { return Recipients(to: wished) }
        var to = others((isOwnMessage ? [] : writers) + envelope.to)
        var cc = others(envelope.cc, besides: to)
        if to.isEmpty { swap(&to, &cc) }
        return to.isEmpty ? reply() : Recipients(to: to, cc: cc)
    }

    /// The recipients of the message to whom ``replyAll()`` cannot write, such as addresses with a name outside ASCII.
    var leftOut: [EmailAddress] {
        guard others(followUp).isEmpty else { return [] }
        return usable((envelope.to + envelope.cc).filter { !isOwn($0) && !Self.isWritable($0) })
    }

    // MARK: The writer

    private var isOwnMessage: Bool {
        guard !envelope.from.isEmpty, envelope.from.allSatisfy(isOwn) else { return false }
        return writers.allSatisfy(isOwn) || !(envelope.to + envelope.cc).contains(where: isOwn)
    }

    private var writers: [EmailAddress] {
        // An address that is ambiguous does not count.
        let replyTo = envelope.replyTo.filter { !$0.domain.isEmpty }
        let received = Set((envelope.to + envelope.cc).map(Self.key))
        let isMunged =
            isFromList && replyTo.count == 1 && replyTo.allSatisfy { received.contains(Self.key($0)) }
        if !replyTo.isEmpty, !isMunged || envelope.from.isEmpty {
            let others = replyTo.filter { !isOwn($0) }
            return others.isEmpty ? replyTo : others
        }
        return envelope.from.isEmpty ? envelope.sender : envelope.from
    }

    private var ownTargets: [EmailAddress] {
        let others = others(envelope.to)
        if !others.isEmpty { return others }
        return envelope.to.isEmpty ? envelope.from : envelope.to
    }

    // MARK: Lists

    /// All addresses except the user's, without duplicates and without those that cannot be written.
    private func others(_ addresses: [EmailAddress], besides taken: [EmailAddress] = []) -> [EmailAddress] {
        var seen = Set(taken.map(Self.key))
        let good = addresses.filter {
            !isOwn($0) && seen.insert(Self.key($0)).inserted && Self.isWritable($0)
        }
        return Array(good.prefix(Self.limit))
    }

    /// Without duplicates. An address that cannot be written stays, so that the builder reports it.
    private func usable(_ addresses: [EmailAddress]) -> [EmailAddress] {
        var seen: Set<String> = []
        return Array(addresses.filter { seen.insert(Self.key($0)).inserted }.prefix(Self.limit))
    }

    private static func isWritable(_ address: EmailAddress) -> Bool {
        do {
            _ = try AddressWriter.mailbox(address, field: "To")
            return true
        } catch { return false }
    }

    private func isOwn(_ address: EmailAddress) -> Bool {
        own.contains(Self.key(address)) || address.untagged.map { own.contains(Self.key($0)) } ?? false
    }

    private static func key(_ address: EmailAddress) -> String {
        address.localPart.lowercased() + "@" + (InternationalDomain.toASCII(address.domain) ?? address.domain)
    }
}
