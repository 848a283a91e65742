/// An address for `MAIL` or `RCPT`, checked so that it cannot contain a second command. RFC 5321 §4.1.2, RFC 6531 §3.3.
///
/// It is stricter than the grammar: no `<`, `>`, control or invisible characters, even in quotes. In one point it is
/// less strict: dots may be anywhere in a local part, because some providers assigned such addresses. A local part may be
/// longer than the 64 bytes that every server must accept, as those that answer by mail are: only the server knows what it
/// accepts (RFC 5321 §4.5.3.1).
public struct SMTPAddress: Hashable, Sendable {
    public static let maximumLength = 254

    public let text: String

    public init(_ text: String) throws(SubmissionFailure) {
        let length = text.utf8.count
        guard length <= Self.maximumLength else {
            throw .invalidAddress(
                String(text.prefix(60)), reason: "it has \(length) bytes; at most \(Self.maximumLength) fit")
        }
        if let reason = Self.fault(in: text) { throw .invalidAddress(text, reason: reason) }
        self.text = text
    }

    /// Whether the server needs SMTPUTF8 to accept it.
    public var needsUTF8: Bool { text.utf8.contains { $0 >= 0x80 } }

    private static func fault(in text: String) -> String? {
        guard text.unicodeScalars.allSatisfy(isVisible) else {
            return "it holds a control or invisible character"
        }
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return "it has no @" }
        let local = text.utf8[..<at]
        let domain = text.utf8[text.utf8.index(after: at)...]
        if local.isEmpty || domain.isEmpty { return "a part beside the @ is empty" }
        if !isDotString(local) && !isQuotedString(local) {
            return "the part before the @ has a character that is not allowed there"
        }
        return isDomain(domain) || isLiteral(domain) ? nil : "the part after the @ is not a domain"
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        case .spaceSeparator:
            scalar == " "
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber,
            .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol,
            .modifierSymbol, .otherSymbol:
            true
        @unknown default:
            false
        }
    }

    private static func isDotString(_ bytes: Substring.UTF8View) -> Bool {
        bytes.allSatisfy { isAlphanumeric($0) || $0 >= 0x80 || ".!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
    }

    /// `"…"`, in which a quote or backslash comes only after a backslash.
    private static func isQuotedString(_ bytes: Substring.UTF8View) -> Bool {
        let quote = UInt8(ascii: "\"")
        guard bytes.count >= 3, bytes.first == quote, bytes.last == quote else { return false }
        var isEscaped = false
        for byte in bytes.dropFirst().dropLast() {
            if byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") { return false }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == quote {
                return false
            }
        }
        return !isEscaped
    }

    private static func isDomain(_ bytes: Substring.UTF8View) -> Bool {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty
                && label.allSatisfy { isAlphanumeric($0) || $0 >= 0x80 || "-_".utf8.contains($0) }
        }
    }

    /// `[192.0.2.1]` or `[IPv6:2001:db8::1]`. RFC 5321 §4.1.3.
    private static func isLiteral(_ bytes: Substring.UTF8View) -> Bool {
        guard bytes.count > 2, bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") else {
            return false
        }
        return bytes.dropFirst().dropLast().allSatisfy { isAlphanumeric($0) || ".:-".utf8.contains($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            false
        }
    }

    /// Whether the text may follow `EHLO`: a domain or an address literal. RFC 5321 §4.1.1.1.
    static func isHostName(_ text: String) -> Bool {
        let bytes = Substring(text).utf8
        return bytes.count <= 255 && bytes.allSatisfy { $0 < 0x80 } && (isDomain(bytes) || isLiteral(bytes))
    }
}

/// From whom and to whom a message travels; its header fields have no say in that. RFC 5321 §2.3.1.
public struct SMTPEnvelope: Equatable, Sendable {
    public static let maximumRecipients = 100

    /// Nil is the null reverse path `<>`, for messages that must never be answered by a machine.
    public let reversePath: SMTPAddress?
    public let forwardPaths: [SMTPAddress]
    /// Our name for the message in reports about it, as xtext. RFC 3461 §4, §4.4.
    public let envelopeID: String?

    /// The longest ENVID, as xtext. RFC 3461 §4.4.
    static let maximumEnvelopeID = 100

    /// An empty reverse path is the null one. An envelope ID that is too long, or not printable ASCII, is left out.
    public init(
        reversePath: String, forwardPaths: [String], envelopeID: String? = nil
    ) throws(SubmissionFailure) {
        self.envelopeID = envelopeID.flatMap(Self.xtext)
        guard !forwardPaths.isEmpty else { throw .noRecipients }
        guard forwardPaths.count <= Self.maximumRecipients else {
            throw .tooManyRecipients(actual: forwardPaths.count, maximum: Self.maximumRecipients)
        }
        self.reversePath = reversePath.isEmpty ? nil : try SMTPAddress(reversePath)
        var addresses: [SMTPAddress] = []
        for path in forwardPaths { addresses.append(try SMTPAddress(path)) }
        self.forwardPaths = addresses
    }

    /// Printable ASCII, with `+` and `=` as hex. RFC 3461 §4.
    private static func xtext(_ text: String) -> String? {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "+"): encoded += "+2B"
            case UInt8(ascii: "="): encoded += "+3D"
            case 0x21...0x7E: encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: return nil
            }
        }
        return encoded.isEmpty || encoded.utf8.count > maximumEnvelopeID ? nil : encoded
    }

    var needsUTF8: Bool {
        (reversePath?.needsUTF8 ?? false) || forwardPaths.contains { $0.needsUTF8 }
    }
}
