import Models

/// Conditions on signatures and encryption. RFC 1847 §2, RFC 8551 §3.
extension ConditionEntry {
    static let isSigned = ConditionEntry(
        "is:signed", "structure", .state(.signed), "carries a signature", "is:signed")

    static let isEncrypted = ConditionEntry(
        "is:encrypted", "structure", .state(.encrypted), "is encrypted", "is:encrypted")

    static let signedValid = ConditionEntry(
        "signed:valid", "trust", .state(.signedValid),
        "the whole message is signed by its From: S/MIME, and the certificate is trusted", "signed:valid")

    static let signedBroken = ConditionEntry(
        "signed:broken", "trust", .state(.signedBroken), "the text was changed after it was signed",
        "signed:broken")
}

extension State {
    /// `signed:valid` tests whether the signature is valid.
    static let signed = State(
        name: "is:signed", needs: .headers, headerNames: ["content-type"],
        holds: { sight in
            Truth(
                sight.hasType { type in
                    type.hasPrefix("multipart/signed") || signatures.contains { type.hasPrefix($0) }
                        || (type.contains("pkcs7-mime")
                            && (type.contains("signed-data") || sight.facts.signature != nil))
                })
        }, seen: { $0.seenType })

    static let encrypted = State(
        name: "is:encrypted", needs: .headers, headerNames: ["content-type"],
        holds: { sight in
            Truth(
                sight.hasType {
                    $0.hasPrefix("multipart/encrypted") || $0.hasPrefix("application/pgp-encrypted")
                        || ($0.contains("pkcs7-mime") && !$0.contains("signed-data")
                            && !$0.contains("certs-only") && sight.facts.signature == nil)
                })
        }, seen: { $0.seenType })

    static let signedValid = State(
        name: "signed:valid", rank: 3, holds: { Truth($0.facts.signature?.outcome == .valid) },
        seen: { $0.seenSignature })

    static let signedBroken = State(
        name: "signed:broken", rank: 3, holds: { Truth($0.facts.signature?.outcome == .broken) },
        seen: { $0.seenSignature })

    private static let signatures = [
        "application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature",
    ]
}

extension MessageSight {
    fileprivate var seenSignature: String {
        facts.signature.map { shortened($0.words) } ?? "no signature of the whole message was checked"
    }
}
