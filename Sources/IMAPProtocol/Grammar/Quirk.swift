/// What a server sends against the grammar and we read anyway: each leniency has a name and a count.
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
    /// COPYUID with `*` in a set: no evidence, so it is kept as an unknown code.
    case dynamicCopyUID
    /// UIDVALIDITY 0, which is not valid.
    case uidValidityZero
    /// Two spaces instead of one, or one before a closing parenthesis.
    case extraSpace
    /// An empty line between responses.
    case blankLine
    /// NIL where a list of flags is due.
    case nilFlagList
    /// A flag that is a backslash and nothing more; it is dropped.
    case bareBackslash
    /// `\*` among the flags that a mailbox has; it is dropped.
    case wildcardFlag
    /// The delimiter `"\"`, its backslash not escaped.
    case unescapedDelimiter
    /// `(MODSEQ 5)` in an ESEARCH, as a SEARCH has it.
    case parenthesisedModSeq
    /// EMAILID, THREADID or MAILBOXID without its parentheses.
    case bareObjectID
    /// `BODY[1]<0.1048576>`: the range as it was requested, where only its origin is due.
    case echoedPartial
    /// A second, different UID in one FETCH; the first one counts.
    case conflictingUID
    /// INTERNALDATE in the form of a mail's Date field.
    case mailDate
    /// `RFC822.HEADER` or `BODY.PEEK[…]` in an answer, or `BODY` whose brackets are lost.
    case legacyBodyItem
    /// An unescaped quote inside a quoted string; it is read as content.
    case unescapedQuote
    /// A quote in a word: the fields cannot be distinguished, and the item is dropped.
    case strayQuote
    /// NIL or `()` instead of an ENVELOPE or a BODYSTRUCTURE.
    case nilStructure
    /// An ENVELOPE of fewer than ten fields; those at the end are missing.
    case shortEnvelope
    /// `()` instead of NIL for no addresses.
    case emptyAddressList
    /// An address without its four fields; it is dropped.
    case malformedAddress
    /// `("Ann <a@b>" NIL "Doe" NIL)`: the address is in the name.
    case swappedAddress
    /// `MISSING_MAILBOX`, `MISSING_DOMAIN`, `.MISSING-HOST-NAME.` for what was not found.
    case placeholderAddress
    /// A multipart without any part: `(NIL "alternative" …)`, `("ALTERNATIVE")`.
    case emptyMultipart
    /// A multipart with the description that only single parts have.
    case multipartDescription
    /// A part without type.
    case missingMediaType
    /// A part whose type is followed by its parameters.
    case missingSubtype
    /// A part without its count of octets.
    case missingSize
    /// A text part without its count of lines.
    case missingLineCount
    /// A `message/rfc822` without the envelope and structure of the message inside.
    case messageWithoutEnvelope
    /// `()` instead of NIL for no parameters.
    case emptyParameterList
    /// `("boundary" NIL)`, or a name with nothing after it.
    case parameterWithoutValue
    /// `"inline"` where `("inline" NIL)` is due.
    case dispositionAsString
    /// `(NIL NIL)` instead of NIL for no disposition.
    case emptyDisposition
    /// A number in quotes.
    case quotedNumber
    /// 4294967295 for -1; the number is dropped.
    case wrappedNumber
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
