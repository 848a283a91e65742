import Crypto
import MIMEParser
import Models

/// Checks the signature of a new message while all its bytes are available; the result is stored.
struct SignatureCheck: Sendable {
    /// A signed message up to this size is read completely, beyond the limit for other messages.
    static let messageLimit = SignedMail.maximumContent

    let trust: MailTrust
    let now: Timestamp

    /// nil: no signature covers the whole message.
    func verdict(of message: ParsedMessage, _ raw: RawMessage) -> SignatureVerdict? {
        if raw.isTruncated || !raw.omitted.isEmpty { return message.isSMIMESigned ? Self.tooLarge : nil }
        switch WholeSignature(of: message, limit: Self.messageLimit) {
        case nil: return nil
        case .detached(let content, let signature):
            return verdict(content, signature, of: message, raw)
        case .enclosed(let signature): return verdict(nil, signature, of: message, raw)
        case .pgp: return SignatureVerdict(.unsupported, reason: "PGP signatures are not checked")
        case .unknownProtocol:
            return SignatureVerdict(.unsupported, reason: "it is not an S/MIME signature")
        case .malformed:
            return SignatureVerdict(
                .unsupported, reason: "the message does not have the parts of a signed message")
        case .tooLarge: return Self.tooLarge
        }
    }

    private static let tooLarge = SignatureVerdict(
        .unchecked, reason: "the message is larger than \(messageLimit >> 20) MiB")

    private func verdict(
        _ content: [UInt8]?, _ signature: [UInt8], of message: ParsedMessage, _ raw: RawMessage
    ) -> SignatureVerdict {
        // Mail programs differ in which of two From fields they show, so neither counts as the sender.
        let fields = message.rawHeader("from")
        let senders = fields.count == 1 ? message.envelope.from.map(\.addrSpec) : fields.map { _ in "" }
        let mail = SignedMail(
            content: content, signature: signature, from: senders,
            received: (raw.listed.received ?? now).seconds)
        return SignatureVerdict(mail.verdict(trust: trust))
    }
}

extension SignatureVerdict {
    init(_ verdict: SignedMail.Verdict) {
        switch verdict {
        case .valid(let signer): self.init(.valid, signer)
        case .broken(let signer): self.init(.broken, signer)
        case .untrusted(let signer, let words): self.init(.untrusted, signer, words)
        case .expired(let signer, let words): self.init(.expired, signer, words)
        case .otherAddress(let signer, let words): self.init(.otherAddress, signer, words)
        case .unsupported(let words): self.init(.unsupported, reason: words)
        }
    }

    private init(_ outcome: Outcome, _ signer: SignedMail.Signer, _ reason: String = "") {
        self.init(outcome, signer: signer.address, issuer: signer.issuer, reason: reason)
    }
}
