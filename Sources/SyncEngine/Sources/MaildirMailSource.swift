import Crypto
import MIMEParser
public import MaildirClient
public import Models

/// A Maildir as a ``MailSource``: messages are known by name, the store hands out their UIDs.
public struct MaildirMailSource: MailSource {
    let client: Maildir

    public init(client: Maildir) { self.client = client }

    /// A Maildir has one life: its UIDs are the store's own.
    public static let uidValidity: UInt32 = 1

    public func mailboxes() async throws -> [Mailbox] {
        do {
            return try client.mailboxes()
        } catch {
            throw SourceUnavailable(error)
        }
    }

    public func open(_ mailbox: Mailbox, since known: KnownMailbox?) async throws -> SourceMailbox {
        let entries = try client.list(mailbox.name)
        return SourceMailbox(
            uidValidity: Self.uidValidity, exists: entries.count, signature: Self.signature(of: entries))
    }

    /// A hash over names and marks: equal means that no message came, went or changed.
    static func signature(of entries: [MaildirEntry]) -> String {
        var bytes: [UInt8] = []
        for entry in entries {
            bytes += Array(entry.unique.utf8) + [0]
            bytes += Array(entry.flags.map(\.rawValue).sorted().joined(separator: ",").utf8) + [0]
            bytes += Array(entry.keywords.map(\.rawValue).sorted().joined(separator: ",").utf8) + [0]
        }
        return Hex.encode(SHA256.hash(bytes))
    }

    public func listing(
        of mailbox: Mailbox, uids: ClosedRange<UInt32>, detail: ListingDetail
    ) async throws -> MessageListing {
        MessageListing(
            try client.list(mailbox.name).map { entry in
                ListedMessage(
                    uid: 0, remoteName: entry.unique, flags: entry.flags, keywords: entry.keywords,
                    size: entry.size, received: entry.modified)
            })
    }

    public func fetch(
        _ messages: [ListedMessage], of mailbox: Mailbox, limit: Int,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws {
        for var message in messages {
            guard let unique = message.remoteName else { continue }
            let bytes: [UInt8]
            do {
                bytes = try read(message, unique, in: mailbox, limit: limit)
                if message.received == nil { message.received = try received(message, in: mailbox) }
            } catch MaildirError.gone {
                continue
            } catch MaildirError.permission {
                continue
            }
            try await deliver(
                RawMessage(listed: message, bytes: bytes, isTruncated: (message.size ?? 0) > bytes.count))
        }
    }

    /// Up to the limit; messages that are signed as a whole are read further.
    private func read(
        _ message: ListedMessage, _ unique: String, in mailbox: Mailbox, limit: Int
    ) throws -> [UInt8] {
        let bytes = try client.read(mailbox.name, unique: unique, limit: limit)
        guard let size = message.size, size > bytes.count, size <= SignatureCheck.messageLimit,
            MIMEParser.parse(bytes).isSMIMESigned
        else { return bytes }
        return try client.read(mailbox.name, unique: unique, limit: SignatureCheck.messageLimit)
    }

    private func received(_ message: ListedMessage, in mailbox: Mailbox) throws -> Timestamp? {
        guard let unique = message.remoteName, let (_, entry) = try client.locate(unique: unique) else {
            return nil
        }
        return try client.received(entry)
    }
}
