/// The mailboxes of an account that the user excludes from every sync (`sync.exclude` in opus.yaml).
///
/// A pattern is the name that people see, with `/` between the levels: `*` is any text, `%` any text within one level.
/// Comparison ignores case. An excluded mailbox excludes those below it. INBOX is never excluded.
public struct MailboxExclusion: Hashable, Sendable {
    public static let nothing = MailboxExclusion([])

    /// The longest pattern, in characters. Real names are shorter.
    public static let maximumLength = 200
    private static let maximumName = 1_000

    public let patterns: [String]
    private let texts: [[Character]]

    public init(_ patterns: [String]) {
        self.patterns = patterns
        texts = patterns.map { Array($0.lowercased()) }
    }

    public func contains(_ mailbox: Mailbox) -> Bool {
        guard mailbox.role != .inbox, mailbox.name != .inbox, !texts.isEmpty else { return false }
        // On a server that keeps everything below INBOX, people write names with that prefix or without it.
        return Set([mailbox.plainName, mailbox.levels]).contains { name in
            let name = Array(name.lowercased().prefix(Self.maximumName))
            let ends = name.indices.filter { name[$0] == "/" } + [name.count]
            return texts.contains { text in ends.contains { Self.matches(name[..<$0], text) } }
        }
    }

    /// Which ends of the name each beginning of the pattern reaches: the time is bounded by both lengths.
    private static func matches(_ name: ArraySlice<Character>, _ pattern: [Character]) -> Bool {
        var reached = [Bool](repeating: false, count: name.count + 1)
        reached[0] = true
        for sign in pattern {
            var next = [Bool](repeating: false, count: name.count + 1)
            let isWildcard = sign == "*" || sign == "%"
            if isWildcard { next[0] = reached[0] }
            for place in 0..<name.count {
                let letter = name[place]
                let goesOn =
                    isWildcard
                    ? next[place] && (sign == "*" || letter != "/") : reached[place] && sign == letter
                next[place + 1] = isWildcard ? reached[place + 1] || goesOn : goesOn
            }
            reached = next
        }
        return reached[name.count]
    }
}

extension Mailbox {
    /// The whole name with `/` between the levels.
    fileprivate var levels: String {
        guard let delimiter, !delimiter.isEmpty, delimiter != "/" else { return displayName }
        return displayName.split(separator: delimiter, omittingEmptySubsequences: false).joined(
            separator: "/")
    }
}
