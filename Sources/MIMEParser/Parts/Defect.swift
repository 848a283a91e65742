/// A defect of a message and its position. A message with defects is never dropped; opus reads what it can.
public struct Defect: Hashable, Sendable, CustomStringConvertible {
    public enum Name: String, Hashable, Sendable, CaseIterable {
        /// Deeper than ``MIMELimits/depth``: the part was not parsed.
        case tooDeep
        /// More than ``MIMELimits/parts``: the rest of the message was not parsed.
        case tooManyParts
        /// The header block is larger than ``MIMELimits/headerBlock``: later fields were not read.
        case headerBlockTooLarge
        /// A field is larger than ``MIMELimits/headerField`` and was cut.
        case headerFieldTooLarge
        /// More fields than ``MIMELimits/headerFields``.
        case tooManyHeaderFields
        /// More parameters than ``MIMELimits/parameters``.
        case tooManyParameters
        /// More encoded words in one field than ``MIMELimits/encodedWords``: the rest was not decoded.
        case tooManyEncodedWords
        /// More readable text, or HTML, than ``MIMELimits/text``: the rest was not read.
        case textTooLarge
        /// A line inside the header block is not a field.
        case lineWithoutColon
        /// The body begins where the header block should have ended with an empty line.
        case missingHeaderEnd
        /// A multipart type without a usable boundary parameter.
        case missingBoundary
        /// The boundary of a multipart does not occur.
        case noParts
        /// The message ended, or an outer boundary came, before the closing boundary.
        case missingCloseBoundary
        /// There is text after the boundary in its line.
        case textAfterBoundary
        /// There is a boundary after the closing one; the text after it belongs to no part.
        case boundaryAfterClose
        /// A boundary longer than the 70 characters of RFC 2046 §5.1.1.
        case longBoundary
        /// A multipart with a transfer encoding, which is not allowed. RFC 2045 §6.4.
        case encodedMultipart
        /// A field of MIME occurs twice in one block: the first counts.
        case repeatedContentField
        /// An `mbox` line comes before the header block.
        case mboxLine
        /// A byte order mark comes before the header block.
        case byteOrderMark
        /// A NUL in a header block, or in a body without transfer encoding.
        case nulByte
        /// A CR that does not end a line.
        case bareCR
        /// Bytes in a header block that are not UTF-8. RFC 6532 §3.
        case headerNotUTF8
        /// An unknown transfer encoding.
        case unknownTransferEncoding
        /// An unknown charset: the text was read as UTF-8 if valid, otherwise as windows-1252.
        case unknownCharset
        /// A text that is declared as UTF-8 but is not.
        case textNotUTF8
        /// Bytes outside the base64 alphabet; they were ignored.
        case base64Junk
        /// A base64 body that stops in the middle of a group.
        case base64Truncated
        /// An `=` in a quoted-printable body without a valid code; it was left unchanged.
        case badQuotedPrintable
        /// A file in winmail.dat, uuencode or yEnc that is truncated, or whose size or checksum is wrong.
        case damagedHeldFile

        /// Whether it is a limit, so that part of the message was not read.
        public var isLimit: Bool {
            switch self {
            case .tooDeep, .tooManyParts, .headerBlockTooLarge, .headerFieldTooLarge, .tooManyHeaderFields,
                .tooManyParameters, .tooManyEncodedWords, .textTooLarge:
                true
            case .lineWithoutColon, .missingHeaderEnd, .missingBoundary, .noParts, .missingCloseBoundary,
                .textAfterBoundary, .boundaryAfterClose, .longBoundary, .encodedMultipart,
                .repeatedContentField,
                .mboxLine, .byteOrderMark, .nulByte, .bareCR, .headerNotUTF8, .unknownTransferEncoding,
                .unknownCharset, .textNotUTF8, .base64Junk, .base64Truncated, .badQuotedPrintable,
                .damagedHeldFile:
                false
            }
        }
    }

    public var name: Name
    /// In bytes, from the start of the message.
    public var offset: Int

    public init(_ name: Name, at offset: Int) {
        self.name = name
        self.offset = offset
    }

    public var description: String { "\(name.rawValue) at byte \(offset)" }
}

/// How much of a message is read. A message beyond a limit is read up to it, and the limit is a defect.
public struct MIMELimits: Hashable, Sendable {
    /// Levels of parts, including the message itself.
    public var depth = 32
    public var parts = 1_000
    /// Bytes of one header block.
    public var headerBlock = 256 * 1_024
    /// Bytes of one field.
    public var headerField = 64 * 1_024
    /// Fields of one block.
    public var headerFields = 2_000
    /// Parameters of one field.
    public var parameters = 128
    /// Encoded words of one field.
    public var encodedWords = 256
    /// Bytes of readable text, and of HTML.
    public var text = 1_024 * 1_024

    /// Whether files inside parts are read too: those in a winmail.dat, an S/MIME signature, or a uuencode block.
    public var opensFiles = true

    public static let standard = MIMELimits()
    /// For mail of the user: its parts are what is sent, and its text is edited as a whole.
    public static let ownMail = {
        var limits = MIMELimits()
        limits.opensFiles = false
        limits.text = 64 << 20
        return limits
    }()

    public init() {}
}

/// Collects defects up to a limit, because a hostile message could have one in each line.
struct DefectLog {
    private(set) var defects: [Defect] = []

    mutating func add(_ name: Defect.Name, at offset: Int) {
        guard defects.count < 100 else { return }
        defects.append(Defect(name, at: offset))
    }
}
