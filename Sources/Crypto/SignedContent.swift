import COpenSSL

/// The content of an S/MIME signature that contains what it signs. Nothing is verified. RFC 5652 §5.2.
public enum SignedContent {
    /// nil: the bytes are not such a signature, or more of them than opus reads.
    ///
    /// `bytes` are in DER or BER.
    public static func read(_ bytes: [UInt8]) -> [UInt8]? {
        // The error queue belongs to the thread, so it is emptied before other code can run.
        defer { ERR_clear_error() }
        guard bytes.count <= SignedMail.maximumSignature + SignedMail.maximumContent,
            let cms = CMSMessage(bytes), cms.isSignedData
        else { return nil }
        return cms.content
    }
}
