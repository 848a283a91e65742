/// The result of the check of a message's signature when the message arrived.
///
/// An unsigned message has no verdict, and neither has one that arrived before opus checked signatures. `signer` and
/// `issuer` come from a certificate and so from a stranger.
public struct SignatureVerdict: Hashable, Codable, Sendable {
    public enum Outcome: String, Hashable, Codable, CaseIterable, Sendable {
        /// The content is unchanged, the certificate is trusted, and it names the address of From.
        case valid
        /// The content has changed since it was signed.
        case broken
        /// No trusted authority vouches for the certificate.
        case untrusted
        /// The certificate was not valid on the day of the arrival.
        case expired
        /// The certificate belongs to another address than From.
        case otherAddress = "other-address"
        /// PGP, or a signature that opus cannot read.
        case unsupported
        /// The message is too large to check.
        case unchecked
    }

    public var outcome: Outcome
    /// The address in the certificate; empty: no certificate was read.
    public var signer: String
    /// The name of the certificate's issuer.
    public var issuer: String
    /// Why the signature is not valid, if the outcome alone does not explain it.
    public var reason: String

    public init(_ outcome: Outcome, signer: String = "", issuer: String = "", reason: String = "") {
        self.outcome = outcome
        self.signer = signer
        self.issuer = issuer
        self.reason = reason
    }

    /// One line for people.
    public var words: String {
        switch outcome {
        case .valid: "by \(signer), certificate from \(issuer), valid"
        case .broken: "BROKEN: the text was changed after it was signed"
        case .untrusted: "not verified (the certificate\(ofSigner) is not trusted\(because))"
        case .expired: "not verified (the certificate\(ofSigner) is out of date\(because))"
        case .otherAddress: "not verified (the certificate is not the sender's\(because))"
        case .unsupported: "not verified (\(reason.isEmpty ? "the signature cannot be read" : reason))"
        case .unchecked: "not checked (\(reason.isEmpty ? "the message is too large" : reason))"
        }
    }

    private var ofSigner: String { signer.isEmpty ? "" : " of \(signer)" }
    private var because: String { reason.isEmpty ? "" : ": \(reason)" }
}
