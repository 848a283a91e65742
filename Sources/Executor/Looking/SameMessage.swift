import Crypto
import MIMEParser
import MailStore
import Models

/// Compares the message at a place with the stored one.
///
/// The header decides, unless the account reports another size than before. Then two messages may share a
/// header (scans, imports, messages without a Message-ID), or a server has added marks to the message, so the
/// body decides.
struct SameMessage {
    /// The stored facts of the message.
    let known: MessageAnchor

    enum Answer {
        case yes
        case no
        /// The body must be read to decide.
        case asksBody
    }

    func judge(_ sighting: Sighting) -> Answer {
        guard
            sighting.header == known.headerBlock
                || HeaderBlock.canonical(sighting.header) == HeaderBlock.canonical(known.headerBlock)
        else { return .no }
        guard let size = sighting.size, size != known.size else { return .yes }
        switch known.body {
        case .whole: return .asksBody
        // The body is only partly known, so the header must be unique.
        case .part: return HeaderBlock.identifies(known.headerBlock) ? .yes : .no
        case nil: return .yes
        }
    }

    /// `message`: all bytes; nil if they could not be read.
    static func hasBody(_ body: BodyDigest?, _ message: [UInt8]?) -> Bool {
        guard let message else { return false }
        return hasBody(body, MIMEParser.parse(message))
    }

    /// Also true if the store does not know the whole body.
    static func hasBody(_ body: BodyDigest?, _ message: ParsedMessage) -> Bool {
        switch body {
        case .whole(let digest): Hex.encode(SHA256.hash(message.canonicalBody)) == digest
        case .part, nil: true
        }
    }
}

extension MailSink {
    /// SHA-256 of the parts that do not change when a server adds marks to a message, in hex; nil as in
    /// ``digest(of:in:)``.
    func contentDigest(of target: Target, in mailbox: MailboxName) async throws(SinkError) -> String? {
        guard let bytes = try await content(of: target, in: mailbox, limit: 50 << 20) else { return nil }
        let message = MIMEParser.parse(bytes)
        return Hex.encode(SHA256.hash(message.canonicalHeaderBlock + [0x0A] + message.canonicalBody))
    }
}
