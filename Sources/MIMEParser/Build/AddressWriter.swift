import Models

/// Writes one mailbox of an address field: a display name for people, and an address that servers accept.
/// RFC 5322 §3.4, RFC 5891, RFC 6531.
///
/// A domain outside ASCII is written with its A-labels. A local part outside ASCII is refused, because every server on
/// the way would have to support SMTPUTF8.
enum AddressWriter {
    /// The pieces of `Ana <ana@example.org>`; the field can be folded between them.
    static func mailbox(_ address: EmailAddress, field: String) throws(BuilderError) -> [[UInt8]] {
        try HeaderWriter.refuseControls(address.displayName, field: field)
        let spec = Array(try addrSpec(address, field: field).utf8)
        let words = phrase(address.displayName, column: field.utf8.count + 2)
        return words + [words.isEmpty ? spec : [ASCII.less] + spec + [ASCII.greater]]
    }

    /// `local@domain` in ASCII. It is checked, because servers deliver to this address. RFC 5322 §3.4.1.
    static func addrSpec(_ address: EmailAddress, field: String) throws(BuilderError) -> String {
        let spec = address.addrSpec
        try HeaderWriter.refuseControls(spec, field: field, allowsTab: false)
        guard address.localPart.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw BuilderError(.internationalAddress, field: field, value: spec)
        }
        guard let domain = InternationalDomain.toASCII(address.domain) else {
            throw BuilderError(.badDomain, field: field, value: spec)
        }
        guard isLocalPart(Array(address.localPart.utf8)), isDomain(Array(domain.utf8)),
            address.localPart.utf8.count + domain.utf8.count < 320
        else { throw BuilderError(.badAddress, field: field, value: spec) }
        return address.localPart + "@" + domain
    }

    /// A display name: atoms, a quoted string that may be folded at its blanks, or encoded words. RFC 5322 §3.2.5.
    private static func phrase(_ name: String, column: Int) -> [[UInt8]] {
        guard !name.isEmpty else { return [] }
        guard HeaderWriter.isPlain(name) else { return EncodedWordWriter.words(name, column: column) }
        var words = HeaderWriter.plainWords(name)
        if words.allSatisfy({ $0.allSatisfy(\.isAtomText) }) { return words }
        for index in words.indices {
            words[index] = words[index].flatMap {
                $0 == ASCII.quote || $0 == ASCII.backslash ? [ASCII.backslash, $0] : [$0]
            }
        }
        words[0].insert(ASCII.quote, at: 0)
        words[words.count - 1].append(ASCII.quote)
        return words
    }

    private static func isLocalPart(_ local: [UInt8]) -> Bool {
        if local.count >= 3, local.first == ASCII.quote, local.last == ASCII.quote {
            var isEscaped = false
            for byte in local.dropFirst().dropLast() {
                if !isEscaped, byte == ASCII.quote { return false }
                isEscaped = !isEscaped && byte == ASCII.backslash
            }
            return !isEscaped
        }
        // Two dots in a row are wrong, but some servers deliver such mail.
        return !local.isEmpty && local.allSatisfy { $0.isAtomText || $0 == ASCII.dot }
    }

    private static func isDomain(_ domain: [UInt8]) -> Bool {
        if domain.first == ASCII.leftBracket, domain.last == ASCII.rightBracket {
            return domain.count > 2
                && domain.dropFirst().dropLast().allSatisfy {
                    $0.hexValue != nil || $0.isLetter || $0 == ASCII.dot || $0 == ASCII.colon
                        || $0 == ASCII.hyphen
                }
        }
        let labels = domain.split(separator: ASCII.dot, omittingEmptySubsequences: false)
        return domain.count <= 253
            && labels.allSatisfy { label in
                !label.isEmpty && label.count <= 63
                    && label.allSatisfy {
                        $0.isLetter || $0.isDigit || $0 == ASCII.hyphen || $0 == ASCII.underscore
                    }
            }
    }
}
