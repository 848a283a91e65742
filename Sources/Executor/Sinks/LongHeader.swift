import IMAPClient
import IMAPProtocol
import MIMEParser
import Models
import NIOCore

/// A header that is too long to be read as a whole. As in a sync, the first bytes of the message show which one it is.
enum LongHeader {
    /// As much as a sync reads of a long message. In octets.
    static let limit = 1_024 * 1_024
    /// For how many messages this is requested at once. The others have to wait.
    static let most = 20

    /// Requests the beginning instead of the header.
    static func items(_ items: FetchItems) -> FetchItems {
        var items = items
        items.header = false
        items.body = .first(limit)
        return items
    }

    static func start(of body: ByteBuffer?) -> ByteBuffer? {
        body.map { ByteBuffer(bytes: MIMEParser.parse(Array($0.readableBytesView)).headerBlock) }
    }
}

extension Sighting {
    /// nil: the server did not return the header or the flags.
    init?(_ message: FetchedMessage, _ keywords: Set<Keyword>, _ header: ByteBuffer?) {
        guard let header, !message.missing.contains(.flags) else { return nil }
        self.init(
            flags: FlagAtoms.flags(message.flags), keywords: keywords,
            header: Array(header.readableBytesView), size: message.size)
    }
}
