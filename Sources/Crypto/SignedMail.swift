import COpenSSL

/// Checks a signature, and whether the signer is the sender of the message. S/MIME with libcrypto's CMS. RFC 8551,
/// RFC 5652 §5.
///
/// Every signature must be valid, and one signer must be the address of From. The certificate must be valid on the day
/// of the arrival; revocation is not checked. A signature does not cover subject, date and recipients, so anyone may
/// have changed them.
public struct SignedMail: Sendable {
    /// The signed bytes with CRLF; nil: they are inside the signature.
    public var content: [UInt8]?
    /// In DER or BER.
    public var signature: [UInt8]
    public var from: [String]
    /// The arrival of the message, in seconds since 1970.
    public var received: Int64

    public init(content: [UInt8]?, signature: [UInt8], from: [String], received: Int64) {
        self.content = content
        self.signature = signature
        self.from = from
        self.received = received
    }

    /// The owner and the issuer of a certificate. They are text from a stranger.
    public struct Signer: Equatable, Sendable {
        public var address = ""
        public var issuer = ""
    }

    public enum Verdict: Equatable, Sendable {
        case valid(Signer)
        case broken(Signer)
        /// With libcrypto's reason.
        case untrusted(Signer, String)
        case expired(Signer, String)
        case otherAddress(Signer, String)
        case unsupported(String)
    }

    public static let maximumContent = 4 << 20
    public static let maximumSignature = 256 << 10
    private static let maximumSigners = 4
    private static let maximumCertificates = 20

    public func verdict(trust: MailTrust) -> Verdict {
        // The error queue belongs to the thread, so it is read before other code can run.
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard signature.count <= Self.maximumSignature + (content == nil ? Self.maximumContent : 0),
            content?.count ?? 0 <= Self.maximumContent
        else { return .unsupported("it is too large") }
        guard let cms = CMSMessage(signature) else { return .unsupported("the signature cannot be read") }
        if let refusal = refusal(of: cms) { return .unsupported(refusal) }
        let proof = cms.verify(content: content)
        let signers = cms.signers
        let named = signers.first { $0.names(from.first ?? "") } ?? signers.first
        let signer = named?.signer(shown: from.first ?? "") ?? Signer()
        switch proof {
        case .good: break
        case .changed: return .broken(signer)
        case .unreadable: return .unsupported("the signature cannot be read")
        }
        guard !signers.isEmpty else { return .unsupported("it has no signer") }
        return judge(signers, signer, in: cms, trust)
    }

    /// Decides whether an authority certifies the signers, and whether they are the sender.
    private func judge(
        _ signers: [MailCertificate], _ signer: Signer, in cms: CMSMessage, _ trust: MailTrust
    ) -> Verdict {
        for certificate in signers {
            let own = certificate.signer(shown: signer.address)
            switch trust.withStore({ certificate.chain(to: $0, beside: cms, at: received) }) {
            case .trusted: continue
            case .outOfDate(let words): return .expired(own, words)
            case .untrusted(let words): return .untrusted(own, words)
            }
        }
        guard from.count == 1 else { return .otherAddress(signer, "the message has \(from.count) senders") }
        guard signers.contains(where: { $0.names(from[0]) }) else {
            return .otherAddress(
                signer, signer.address.isEmpty ? "it names no address" : "it is of \(signer.address)")
        }
        return .valid(signer)
    }

    /// Why opus does not check this kind of signature; nil: it does.
    private func refusal(of cms: CMSMessage) -> String? {
        guard cms.isSignedData, cms.isDetached == (content != nil) else {
            return "the signature cannot be read"
        }
        let infos = cms.signerInfos
        guard !infos.isEmpty else { return "it has no signer" }
        guard infos.count <= Self.maximumSigners, cms.certificateCount <= Self.maximumCertificates else {
            return "it has too many signers or certificates"
        }
        guard infos.allSatisfy(\.hasStrongDigest) else { return "its digest is too weak" }
        // Without them, an attacker could present the attributes of another signature as a signed text.
        guard infos.allSatisfy(\.hasAttributes) else { return "it has no signed attributes" }
        return nil
    }
}
