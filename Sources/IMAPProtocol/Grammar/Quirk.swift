/// What a server sends against the grammar and we read all the same: each leniency has a name and a count.
///
/// The grammar around a quirk stays strict. `docs/Quirks.md` has one line for each, and each has a test
/// with the raw bytes.
public enum Quirk: String, Hashable, CaseIterable, Sendable {
    /// A status without its human-readable text: `* OK [HIGHESTMODSEQ 5]`, `A1 OK`.
    case missingStatusText
    /// A response code that no `]` ends; it is read as text.
    case unclosedCode
    /// `* [COPYUID 7 1 9]`: a response code without the `OK` before it.
    case codeWithoutStatus
    /// `+` without the space that must follow it.
    case bareContinuation
    /// A line that ends in LF alone.
    case bareLineFeed
    /// Spaces at the end of a line.
    case trailingSpace
    /// `LITERAL +` in a capability list.
    case splitLiteralPlus
    /// The delimiter `""` instead of `NIL`.
    case emptyDelimiter
    /// A mailbox name with spaces or other specials and no quotes around it.
    case unquotedMailbox
    /// A backslash in a quoted string before a character that needs none; both are kept.
    case strayBackslash
    /// `* STATUS "INBOX" ()` or no list at all.
    case statusWithoutItems
    /// Parentheses around or after the items of a FETCH that do not belong there.
    case extraParentheses
    /// The name of a FETCH item with no value after it.
    case itemWithoutValue
    /// A negative number where only a count can be; the item is dropped.
    case negativeNumber
    /// MODSEQ 0 or below; the item is dropped.
    case invalidModSeq
    /// UID 0; the item is dropped.
    case uidZero
    /// An INTERNALDATE that cannot be read; the item is dropped.
    case invalidInternalDate
    /// A range with its greater end first, `187:186`.
    case reversedRange
    /// COPYUID whose two sets differ in length: no evidence, so it is kept as an unknown code.
    case unequalCopyUID
}

/// How often each quirk was seen in one session.
public struct QuirkCounts: Equatable, Sendable {
    public private(set) var counts: [Quirk: Int] = [:]

    public init() {}

    public subscript(quirk: Quirk) -> Int { counts[quirk, default: 0] }

    /// Every quirk that was seen, by name.
    public var seen: [Quirk] { counts.keys.sorted { $0.rawValue < $1.rawValue } }

    mutating func note(_ quirk: Quirk) { counts[quirk, default: 0] += 1 }
}
