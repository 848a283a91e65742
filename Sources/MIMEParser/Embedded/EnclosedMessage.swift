import Crypto
import Models

/// The content of a part that is an S/MIME signature and contains what it signs. RFC 8551 §3.5.2.
///
/// It is a message without fields such as From: its own parts have the text and the files. Nothing is cached. A content can
/// be such a part again; each is smaller than the one around it.
struct EnclosedMessage {
    let content: ParsedMessage

    /// nil: any other part, or a signature that opus cannot read.
    init?(_ part: Part, of message: ParsedMessage) {
        guard message.limits.opensFiles, part.contentType.mayEncloseContent, !part.isContainer,
            let bytes = SignedContent.read(message.decodedBody(of: part))
        else { return nil }
        content = parse(bytes, limits: message.limits)
    }

    /// The first one in the message itself; nil: there is none.
    init?(in message: ParsedMessage) {
        for part in message.parts where !message.isInsideMessage(part) {
            guard let found = EnclosedMessage(part, of: message) else { continue }
            self = found
            return
        }
        return nil
    }

    /// The files of the content.
    var files: [HeldFile] {
        content.attachments.compactMap { file in
            content.decodedBody(section: file.section).map {
                HeldFile(
                    name: file.name, contentType: file.contentType, bytes: $0, source: .smime,
                    contentID: file.contentID)
            }
        }
    }
}

extension ContentType {
    /// `application/pkcs7-mime`. RFC 8551 §3.2.
    var isCMS: Bool { type == "application" && (subtype == "pkcs7-mime" || subtype == "x-pkcs7-mime") }

    /// Without `smime-type`, the content shows whether it is signed or encrypted. RFC 8551 §3.2.2.
    var mayEncloseContent: Bool {
        isCMS && (parameters["smime-type"].map { $0.lowercased() == "signed-data" } ?? true)
    }
}
