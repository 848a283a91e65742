import MIMEParser
import Models

/// Inputs that all messages of a run share, and results that are computed once for many messages.
///
/// Used by one thread only.
final class Surface {
    private(set) var context: RuleContext
    let tables: RuleTables
    let zone: Zone
    let me: Set<FoldedText>
    private let own: OwnAddressSet
    private var addresses: [EmailAddress: FoldedAddress] = [:]
    /// By the bytes of the name: two mailboxes may have equal names in different Unicode normalizations.
    private var mailboxes: [[UInt8]: Mailbox?] = [:]
    private lazy var plainNames = Dictionary(grouping: context.mailboxes, by: \.account).mapValues(
        \.namesForPeople)

    /// More writers than most inboxes have; when full, the cache is emptied.
    private static let mostAddresses = 20_000

    init(_ context: RuleContext, _ tables: RuleTables) {
        self.context = context
        self.tables = tables
        zone = Zone(context.timeZone) ?? .utc
        me = Set(context.me.flatMap { [$0] + $0.otherSpellings }.map { FoldedText($0.comparable) })
        own = OwnAddressSet(context.me)
    }

    /// The cached values do not depend on the clock.
    func turn(to now: Timestamp) { context.now = now }

    /// Uses other conversations, tasks, writers and copies from now on.
    func surround(by other: RuleContext) {
        context.threads = other.threads
        context.todos = other.todos
        context.waitsSince = other.waitsSince
        context.answered = other.answered
        context.returned = other.returned
        context.senderCounts = other.senderCounts
        context.senderArrivals = other.senderArrivals
        context.senderTimes = other.senderTimes
        context.earlierCopies = other.earlierCopies
        context.writerRanks = other.writerRanks
        context.planned = other.planned
        context.notYet = other.notYet
    }

    /// Whether the address is one of the user's, with or without a tag after a plus sign.
    func isMe(_ address: EmailAddress) -> Bool { own.contains(address) }

    func folded(_ address: EmailAddress) -> FoldedAddress {
        if let known = addresses[address] { return known }
        if addresses.count >= Self.mostAddresses { addresses = [:] }
        let folded = FoldedAddress(address)
        addresses[address] = folded
        return folded
    }

    /// The name with `/` between the levels, for any server; the server's form if two mailboxes would have the same name.
    func plainName(of mailbox: Mailbox) -> String {
        guard mailbox.delimiter != nil else { return mailbox.displayName }
        return plainNames[mailbox.account]?[mailbox.name] ?? mailbox.plainName
    }

    /// As ``RuleContext/mailbox(named:)``.
    func mailbox(named name: String) -> Mailbox? {
        let bytes = Array(name.utf8)
        if let known = mailboxes[bytes] { return known }
        let mailbox = context.mailbox(named: name)
        mailboxes[bytes] = .some(mailbox)
        return mailbox
    }

    func matches(
        _ address: FoldedAddress, _ matcher: AddressMatcher, captures: inout [String: String]
    ) -> Bool {
        switch matcher {
        case .exact(let text): return address.addrSpec == text || address.name == text && !text.hasAt
        case .domain(let domain): return address.domain.isDomain(domain)
        case .glob(let pattern):
            return pattern.matches(address.addrSpec) || !pattern.hasAt && pattern.matches(address.name)
        case .me: return me.contains(address.addrSpec) || isMe(address.address)
        case .known: return context.known.contains(address.address.mailComparable)
        case .list(let name):
            return tables.lists[name]?.contains(address: address.addrSpec, domain: address.domain.string)
                ?? false
        case .phrase(let text):
            return address.addrSpec.containsPhrase(text) || address.name.containsPhrase(text) && !text.hasAt
        case .contains(let text):
            return address.addrSpec.contains(text) || address.name.contains(text) && !text.hasAt
        case .regex(let pattern):
            for text in [address.address.addrSpec] + (pattern.hasAt ? [] : [address.address.displayName]) {
                guard let groups = pattern.captures(in: text) else { continue }
                captures.merge(groups) { first, _ in first }
                return true
            }
            return false
        case .present: return true
        case .anyOf(let spellings):
            return spellings.contains { matches(address, $0, captures: &captures) }
        }
    }
}
