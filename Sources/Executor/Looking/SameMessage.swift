import Crypto
import MIMEParser
import MailStore
import Models

/// Whether the message in a place is the one that the store knows.
///
/// The header decides. If the account reports another size than before, two messages may share a header (scans,
/// imports, messages without a Message-ID), or a server has written marks into it: the body decides then.
struct SameMessage {
    /// The stored facts of the message.
    let known: MessageAnchor

    enum Answer {
        case yes
        case no
        /// The body has to be read to know.
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
        // Its body is not fully known: only a header that no other message has is enough.
        case .part: return HeaderBlock.identifies(known.headerBlock) ? .yes : .no
        case nil: return .yes
        }
    }

    /// `message`: all bytes; nil when they could not be read.
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
    /// SHA-256 of what does not change when a server writes marks into a message, hex; nil as ``digest(of:in:)``.
    func contentDigest(of target: Target, in mailbox: MailboxName) async throws(SinkError) -> String? {
        guard let bytes = try await content(of: target, in: mailbox, limit: 50 << 20) else { return nil }
        let message = MIMEParser.parse(bytes)
        return Hex.encode(SHA256.hash(message.canonicalHeaderBlock + [0x0A] + message.canonicalBody))
    }
}
