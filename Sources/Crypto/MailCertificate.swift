import COpenSSL

/// The certificate of a signer of a message. RFC 8550.
struct MailCertificate {
    enum Chain {
        case trusted
        case outOfDate(String)
        case untrusted(String)
    }

    private let certificate: OpaquePointer
    /// Owns the certificate, and so must live as long.
    private let message: CMSMessage

    /// The most intermediate certificates up to an authority.
    private static let depth: Int32 = 8
    /// 112 bits: no SHA-1, no RSA below 2,048.
    private static let securityLevel: Int32 = 2
    private static let longestName = 200

    init(_ certificate: OpaquePointer, of message: CMSMessage) {
        self.certificate = certificate
        self.message = message
    }

    // MARK: Names

    /// Whether the certificate belongs to this address. The case of ASCII letters is ignored, because no provider
    /// distinguishes `Ana@` and `ana@`. RFC 8550 §3.
    func names(_ address: String) -> Bool {
        guard !address.isEmpty else { return false }
        if has(address) { return true }
        let wanted = Self.folded(address)
        return addresses.contains { Self.folded($0) == wanted && has($0) }
    }

    private func has(_ address: String) -> Bool {
        let letters = address.utf8.map { CChar(bitPattern: $0) }
        return X509_check_email(certificate, letters, letters.count, 0) == 1
    }

    private static func folded(_ address: String) -> [UInt8] {
        address.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    private var addresses: [String] {
        guard let stack = X509_get1_email(certificate) else { return [] }
        defer { X509_email_free(stack) }
        return Stack.items(stack).map {
            String(cString: UnsafePointer<CChar>($0))
        }
    }

    /// The signer, with the given address if the certificate contains it.
    func signer(shown address: String) -> SignedMail.Signer {
        let own = names(address) ? address : addresses.first ?? ""
        return SignedMail.Signer(address: Self.short(own), issuer: Self.short(issuer))
    }

    private static func short(_ text: String) -> String { String(text.prefix(longestName)) }

    private var issuer: String {
        guard let name = X509_get_issuer_name(certificate) else { return "" }
        for kind in [NID_commonName, NID_organizationName, NID_organizationalUnitName] {
            let index = X509_NAME_get_index_by_NID(name, kind, -1)
            guard index >= 0, let text = Self.text(X509_NAME_get_entry(name, index)) else { continue }
            return text
        }
        return "an authority without a name"
    }

    private static func text(_ entry: OpaquePointer?) -> String? {
        guard let entry, let data = X509_NAME_ENTRY_get_data(entry) else { return nil }
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&bytes, data)
        guard count > 0, let bytes else { return nil }
        defer { CRYPTO_free(bytes, "", 0) }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
    }

    // MARK: Authorities

    /// The chain from this certificate to an authority in the store, through the certificates in the message, as valid
    /// on that day. RFC 5280 §6.
    func chain(to store: OpaquePointer, beside message: CMSMessage, at time: Int64) -> Chain {
        message.withCertificates { others in
            guard let context = X509_STORE_CTX_new() else { return .untrusted("out of memory") }
            defer { X509_STORE_CTX_free(context) }
            guard X509_STORE_CTX_init(context, store, certificate, others) == 1,
                X509_STORE_CTX_set_default(context, "smime_sign") == 1,
                let parameters = X509_STORE_CTX_get0_param(context)
            else { return .untrusted("the certificate cannot be read") }
            X509_VERIFY_PARAM_set_depth(parameters, Self.depth)
            X509_VERIFY_PARAM_set_auth_level(parameters, Self.securityLevel)
            X509_VERIFY_PARAM_set_time(parameters, Int(time))
            if X509_verify_cert(context) == 1 { return .trusted }
            let error = X509_STORE_CTX_get_error(context)
            let words =
                X509_verify_cert_error_string(Int(error)).map { String(cString: $0) } ?? "error \(error)"
            switch error {
            case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID: return .outOfDate(words)
            case _: return .untrusted(words)
            }
        }
    }
}
