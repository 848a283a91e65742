import COpenSSL

/// One CMS structure of libcrypto, freed with this object. RFC 5652.
final class CMSMessage {
    private let cms: OpaquePointer

    enum Proof {
        case good
        /// The content or the signature has changed since it was signed.
        case changed
        case unreadable
    }

    /// nil: the bytes are not CMS, or more bytes follow it.
    init?(_ bytes: [UInt8]) {
        let cms: OpaquePointer? = bytes.withUnsafeBufferPointer { buffer in
            var place = buffer.baseAddress
            guard let cms = d2i_CMS_ContentInfo(nil, &place, buffer.count) else { return nil }
            // Mail transport may add line breaks at the end.
            let used = place.map { buffer.baseAddress?.distance(to: $0) ?? 0 } ?? 0
            guard buffer[used...].allSatisfy({ $0 == 0x0D || $0 == 0x0A }) else {
                CMS_ContentInfo_free(cms)
                return nil
            }
            return cms
        }
        guard let cms else { return nil }
        self.cms = cms
    }

    deinit { CMS_ContentInfo_free(cms) }

    /// Whether it is SignedData with text as its content, as in S/MIME. RFC 8551 §2.4.2.
    var isSignedData: Bool {
        guard OBJ_obj2nid(CMS_get0_type(cms)) == NID_pkcs7_signed, let type = CMS_get0_eContentType(cms)
        else { return false }
        return OBJ_obj2nid(type) == NID_pkcs7_data
    }

    var isDetached: Bool { CMS_is_detached(cms) == 1 }

    /// nil: the content is not in the structure.
    var content: [UInt8]? {
        guard let text = CMS_get0_content(cms)?.pointee, let start = ASN1_STRING_get0_data(text) else {
            return nil
        }
        return Array(UnsafeBufferPointer(start: start, count: Int(max(0, ASN1_STRING_length(text)))))
    }

    var signerInfos: [SignerInfo] {
        guard let stack = CMS_get0_SignerInfos(cms) else { return [] }
        return Stack.items(stack).map(SignerInfo.init)
    }

    var certificateCount: Int {
        guard let stack = CMS_get1_certs(cms) else { return 0 }
        defer { Stack.freeCertificates(stack) }
        return Int(OPENSSL_sk_num(stack))
    }

    /// The included certificates, which are not checked yet, for the time of the call.
    func withCertificates<Result>(_ body: (OpaquePointer?) -> Result) -> Result {
        let stack = CMS_get1_certs(cms)
        defer { if let stack { Stack.freeCertificates(stack) } }
        return body(stack)
    }

    /// Whether every signer signed this content. It does not check who the signers are.
    func verify(content: [UInt8]?) -> Proof {
        let flags = UInt32(CMS_BINARY) | UInt32(CMS_NO_SIGNER_CERT_VERIFY)
        let isGood: Bool
        if let content {
            isGood = content.withUnsafeBufferPointer { buffer in
                guard let start = buffer.baseAddress,
                    let bio = BIO_new_mem_buf(start, Int32(clamping: buffer.count))
                else { return false }
                defer { BIO_free(bio) }
                return CMS_verify(cms, nil, nil, bio, nil, flags) == 1
            }
        } else {
            isGood = CMS_verify(cms, nil, nil, nil, nil, flags) == 1
        }
        return isGood ? .good : Self.isMismatch() ? .changed : .unreadable
    }

    /// The certificates of the signers; available after ``verify(content:)``.
    var signers: [MailCertificate] {
        guard let stack = CMS_get0_signers(cms) else { return [] }
        defer { OPENSSL_sk_free(stack) }
        return Stack.items(stack).map { MailCertificate($0, of: self) }
    }

    /// Whether libcrypto reports that digest or signature differ.
    private static func isMismatch() -> Bool {
        let reasons = [CMS_R_VERIFICATION_FAILURE, CMS_R_CONTENT_VERIFY_ERROR, CMS_R_SIGNFINAL_ERROR]
        var isMismatch = false
        while true {
            let error = ERR_get_error()
            guard error != 0 else { return isMismatch }
            if ERR_GET_LIB(error) == ERR_LIB_CMS, reasons.contains(ERR_GET_REASON(error)) {
                isMismatch = true
            }
        }
    }
}

/// The data of one signer. RFC 5652 §5.3.
struct SignerInfo {
    private let info: OpaquePointer

    init(_ info: OpaquePointer) { self.info = info }

    var hasAttributes: Bool { CMS_signed_get_attr_count(info) > 0 }

    /// MD5 and SHA-1 are broken. RFC 8551 §2.1.
    var hasStrongDigest: Bool {
        var digest: UnsafeMutablePointer<X509_ALGOR>?
        CMS_SignerInfo_get0_algs(info, nil, nil, &digest, nil)
        guard let digest else { return false }
        return Self.strong.contains(OBJ_obj2nid(digest.pointee.algorithm))
    }

    private static let strong: Set<Int32> = [
        NID_sha256, NID_sha384, NID_sha512, NID_sha512_256, NID_sha3_256, NID_sha3_384, NID_sha3_512,
    ]
}

/// libcrypto's lists.
enum Stack {
    static func items(_ stack: OpaquePointer) -> [OpaquePointer] {
        (0..<max(0, OPENSSL_sk_num(stack))).compactMap {
            OPENSSL_sk_value(stack, $0).map { OpaquePointer($0) }
        }
    }

    static func freeCertificates(_ stack: OpaquePointer) {
        OPENSSL_sk_pop_free(stack) { X509_free($0.map { OpaquePointer($0) }) }
    }
}
