/// The signature of a whole message: the signed bytes and the signature. RFC 1847 §2.1, RFC 8551 §3.5.
///
/// Only the outermost part counts: a signature of one part among others does not cover the rest of the displayed
/// message.
public enum WholeSignature: Equatable, Sendable {
    /// The first of two parts with its header and CRLF line ends, and the decoded second part.
    case detached(content: [UInt8], signature: [UInt8])
    /// `application/pkcs7-mime; smime-type=signed-data`: the content is inside, decoded.
    case enclosed([UInt8])
    case pgp
    case unknownProtocol
    /// Not two parts, or a part without an end.
    case malformed
    case tooLarge
}

extension WholeSignature {
    /// nil: the whole message is not signed. Messages of more than `limit` bytes are not read.
    public init?(of message: ParsedMessage, limit: Int) {
        let root = message.root
        guard root.contentType.isWholeSignature || root.contentType.mayEncloseContent else { return nil }
        guard root.contentType.isSMIME else {
            self = root.contentType.signatureProtocol.contains("pgp") ? .pgp : .unknownProtocol
            return
        }
        guard !message.isBeyondLimits else {
            self = .malformed
            return
        }
        guard root.bodyRange.count <= limit else {
            self = .tooLarge
            return
        }
        guard root.contentType.isMultipart else {
            // Without `smime-type`, the message can be encrypted as well.
            guard root.contentType.isWholeSignature || EnclosedMessage(root, of: message) != nil else {
                return nil
            }
            self = .enclosed(message.decodedBody(of: root))
            return
        }
        self = Self.detached(message) ?? .malformed
    }

    /// The two parts of multipart/signed; nil: it has others.
    private static func detached(_ message: ParsedMessage) -> WholeSignature? {
        let root = message.root
        guard root.isContainer, root.isComplete, root.children.count == 2 else { return nil }
        let (signed, proof) = (message.parts[root.children[0]], message.parts[root.children[1]])
        guard signed.isComplete, proof.isComplete, proof.contentType.isSMIMESignature else { return nil }
        return .detached(
            content: canonical(message.bytes[signed.range]), signature: message.decodedBody(of: proof))
    }
}

extension ParsedMessage {
    /// Whether it takes the whole message to judge a signature of it; the header is enough to tell.
    public var isSMIMESigned: Bool { root.contentType.isWholeSignature && root.contentType.isSMIME }
}

extension WholeSignature {
    /// Line ends as CRLF, however they are kept here. RFC 8551 §3.1.1.
    fileprivate static func canonical(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + bytes.count / 32)
        var last: UInt8 = 0
        for byte in bytes {
            if byte == ASCII.lf, last != ASCII.cr { result.append(ASCII.cr) }
            result.append(byte)
            last = byte
        }
        return result
    }
}

extension ContentType {
    fileprivate var isWholeSignature: Bool {
        if isMultipart { return subtype == "signed" }
        return isCMS && parameters["smime-type"]?.lowercased() == "signed-data"
    }

    fileprivate var isSMIME: Bool {
        isMultipart ? signatureProtocol.isEmpty || Self.signatures.contains(signatureProtocol) : isCMS
    }

    fileprivate var isSMIMESignature: Bool { Self.signatures.contains(description) }

    fileprivate var signatureProtocol: String { parameters["protocol"]?.lowercased() ?? "" }

    private static let signatures = ["application/pkcs7-signature", "application/x-pkcs7-signature"]
}
