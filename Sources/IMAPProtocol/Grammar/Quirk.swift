/// Deviations from the grammar that opus accepts. Each has a name and is counted.
///
/// Everything around a quirk must follow the grammar. `docs/Quirks.md` has a line for each, and a test with the raw
/// bytes.
public enum Quirk: String, Hashable, CaseIterable, Sendable {
    /// A status without its human-readable text: `* OK [HIGHESTMODSEQ 5]`, `A1 OK`.
    case missingStatusText
    /// A response code without its `]`; it is read as text.
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
    /// A mailbox name with spaces or special characters, without quotes.
    case unquotedMailbox
    /// A backslash in a quoted string before a character that needs none; both characters are kept.
    case strayBackslash
    /// `* STATUS "INBOX" ()`, or a STATUS without a list.
    case statusWithoutItems
    /// Extra parentheses around or after the items of a FETCH.
    case extraParentheses
    /// A FETCH item without a value.
    case itemWithoutValue
    /// A negative number in place of a count; the item is dropped.
    case negativeNumber
    /// MODSEQ 0 or below; the item is dropped.
    case invalidModSeq
    /// UID 0; the item is dropped.
    case uidZero
    /// An INTERNALDATE that cannot be read; the item is dropped.
    case invalidInternalDate
    /// A range with its larger number first, `187:186`.
    case reversedRange
    /// COPYUID with sets of different length. It proves nothing, so it is kept as an unknown code.
    case unequalCopyUID
    /// COPYUID with `*` in a set. It proves nothing, so it is kept as an unknown code.
    case dynamicCopyUID
    /// UIDVALIDITY 0, which is invalid.
    case uidValidityZero
    /// Two spaces instead of one, or one before a closing parenthesis.
    case extraSpace
    /// An empty line between responses.
    case blankLine
    /// NIL in place of a list of flags.
    case nilFlagList
    /// A flag that is only a backslash; it is dropped.
    case bareBackslash
    /// `\*` in the flags of a mailbox; it is dropped.
    case wildcardFlag
    /// The delimiter `"\"`, with an unescaped backslash.
    case unescapedDelimiter
    /// `(MODSEQ 5)` in an ESEARCH, in the form of a SEARCH.
    case parenthesisedModSeq
    /// EMAILID, THREADID or MAILBOXID without parentheses.
    case bareObjectID
    /// `BODY[1]<0.1048576>`: the requested range in place of its origin.
    case echoedPartial
    /// A second, different UID in one FETCH; the first one counts.
    case conflictingUID
    /// INTERNALDATE in the form of the Date field.
    case mailDate
    /// `RFC822.HEADER` or `BODY.PEEK[…]` in an answer, or `BODY` without its brackets.
    case legacyBodyItem
    /// An unescaped quote inside a quoted string; it is read as content.
    case unescapedQuote
    /// A quote inside a word: the fields cannot be told apart, so the item is dropped.
    case strayQuote
    /// NIL or `()` in place of an ENVELOPE or a BODYSTRUCTURE.
    case nilStructure
    /// An ENVELOPE with fewer than ten fields; the last ones are missing.
    case shortEnvelope
    /// `()` in place of NIL for an empty address list.
    case emptyAddressList
    /// An address without four fields; it is dropped.
    case malformedAddress
    /// `("Ann <a@b>" NIL "Doe" NIL)`: the address is in the field of the name.
    case swappedAddress
    /// `MISSING_MAILBOX`, `MISSING_DOMAIN` or `.MISSING-HOST-NAME.` in place of a missing part.
    case placeholderAddress
    /// A multipart without parts: `(NIL "alternative" …)`, `("ALTERNATIVE")`.
    case emptyMultipart
    /// A multipart with a description, which only single parts have.
    case multipartDescription
    /// A part without a type.
    case missingMediaType
    /// A part without a subtype: its parameters follow the type.
    case missingSubtype
    /// A part without its size in octets.
    case missingSize
    /// A text part without its number of lines.
    case missingLineCount
    /// A `message/rfc822` without the envelope and structure of the inner message.
    case messageWithoutEnvelope
    /// `()` in place of NIL for an empty parameter list.
    case emptyParameterList
    /// `("boundary" NIL)`, or a parameter name without a value.
    case parameterWithoutValue
    /// `"inline"` in place of `("inline" NIL)`.
    case dispositionAsString
    /// `(NIL NIL)` in place of NIL for a missing disposition.
    case emptyDisposition
    /// A number in quotes.
    case quotedNumber
    /// 4294967295 for -1; the number is dropped.
    case wrappedNumber
}

/// How often each quirk occurred in one session.
public struct QuirkCounts: Equatable, Sendable {
    public private(set) var counts: [Quirk: Int] = [:]

    public init() {}

    public subscript(quirk: Quirk) -> Int { counts[quirk, default: 0] }

    /// The quirks that occurred, sorted by name.
    public var seen: [Quirk] { counts.keys.sorted { $0.rawValue < $1.rawValue } }

    mutating func note(_ quirk: Quirk) { counts[quirk, default: 0] += 1 }
}
