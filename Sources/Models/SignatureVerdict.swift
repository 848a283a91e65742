/// What was found out about the signature of a whole message when it arrived.
///
/// A message without one has no verdict, and neither has one that came before opus checked signatures.
/// `signer` and `issuer` are texts of a certificate, and so a stranger's.
public struct SignatureVerdict: Hashable, Codable, Sendable {
    public enum Outcome: String, Hashable, Codable, CaseIterable, Sendable {
        /// The content is what was signed, the certificate is trusted, and it names the address of From.
        case valid
        /// The content is not what was signed.
        case broken
        /// No trusted authority vouches for the certificate.
        case untrusted
        /// The certificate was not valid on the day when the message came.
        case expired
        /// The certificate belongs to another address than From.
        case otherAddress = "other-address"
        /// PGP, or a signature that cannot be read.
        case unsupported
        /// The message is too large.
        case unchecked
    }

    public var outcome: Outcome
    /// The address of the certificate; empty when none was read.
    public var signer: String
    /// Who issued the certificate.
    public var issuer: String
    /// Why it is not valid, where the outcome does not say it all.
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
