public import Models

/// A bundle in one line: how many messages, of how many senders, and who the first senders are.
public struct BundleNames: Hashable, Sendable {
    public let bundle: Bundle
    public let messages: Int
    /// Names of people, each address once, in the order of the messages. Text from strangers.
    private let names: [String]

    /// So many are named.
    private static let most = 3

    public init(_ bundle: Bundle, writers: [EmailAddress?]) {
        self.bundle = bundle
        messages = writers.count
        var seen: Set<String> = []
        names = writers.filter { seen.insert($0?.comparable ?? "").inserted }.map {
            $0?.name ?? "(no sender)"
        }
    }

    /// `14 from 9 senders: Eve, Bob, Ana and 6 more`
    public var counts: String {
        let rest = names.count - Self.most
        return "\(messages) from \(counted(names.count, "sender")): "
            + names.prefix(Self.most).joined(separator: ", ")
            + (rest > 0 ? " and \(rest) more" : "")
    }

    /// `Reading: 14 from 9 senders: …`
    public var words: String { "\(bundle.name): \(counts)" }
}
