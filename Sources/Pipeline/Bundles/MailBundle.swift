public import Models

/// Messages of one bundle, shown on one line: `Reading: 14 from 9 senders`.
public struct MailBundle: Sendable {
    public let bundle: Bundle
    /// In the order of the list.
    public private(set) var lines: [MessageLine]

    public var senders: Int { Set(lines.map { $0.facts.from.first?.comparable ?? "" }).count }
    public var unread: Int { lines.count(where: \.isUnread) }

    /// `14 from 9 senders`
    public var counts: String { "\(lines.count) from \(counted(senders, "sender"))" }
    public var words: String { "\(bundle.name): \(counts)" }

    /// The lines of messages without a bundle, and the bundles, sorted by name. A message with several
    /// bundles belongs to the first one.
    ///
    /// `labels`: labels that make a bundle in addition to those of the action `bundle`.
    public static func grouping(
        _ lines: [MessageLine], labels: [Keyword: Bundle] = [:]
    ) -> (single: [MessageLine], bundles: [MailBundle]) {
        var single: [MessageLine] = []
        var found: [Bundle: MailBundle] = [:]
        for line in lines {
            guard let bundle = bundle(of: line.facts, labels: labels) else {
                single.append(line)
                continue
            }
            found[bundle, default: MailBundle(bundle: bundle, lines: [])].lines.append(line)
        }
        return (single, found.values.sorted { $0.bundle < $1.bundle })
    }

    /// The first bundle by name; nil: the message has none.
    public static func bundle(of facts: MessageFacts, labels: [Keyword: Bundle] = [:]) -> Bundle? {
        bundle(of: facts.keywords, labels: labels)
    }

    static func bundle(of keywords: Set<Keyword>, labels: [Keyword: Bundle]) -> Bundle? {
        keywords.compactMap { Bundle($0) ?? labels[$0] }.min()
    }
}
