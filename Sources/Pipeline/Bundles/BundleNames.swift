public import Models

/// A bundle on one line: the number of messages and senders, and the first names of senders.
public struct BundleNames: Hashable, Sendable {
    public let bundle: Bundle
    public let messages: Int
    /// Names of people, each address once, in the order of the messages. Not trusted.
    private let names: [String]

    /// The maximum number of names.
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
