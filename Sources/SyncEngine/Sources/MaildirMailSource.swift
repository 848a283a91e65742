import Crypto
import MIMEParser
public import MaildirClient
public import Models
import Synchronization

/// A Maildir as a ``MailSource``: messages are identified by name, and the store assigns their UIDs.
///
/// The folder of a mailbox is read once per sync: the files found by `open` are listed, and their names lead
/// to the contents.
public final class MaildirMailSource: MailSource {
    private let client: Maildir
    private let current = Mutex<Reading?>(nil)

    /// The mailbox that was opened last.
    private struct Reading {
        let mailbox: OpenMailbox
        /// A second listing needs the changes since the first one, so it reads the folder again.
        var isListed = false
    }

    public init(client: Maildir) { self.client = client }

    /// Always the same: the store assigns the UIDs of a Maildir.
    public static let uidValidity: UInt32 = 1

    public func mailboxes() async throws -> [Mailbox] {
        do {
            return try client.mailboxes()
        } catch {
            throw SourceUnavailable(error)
        }
    }

    public func open(_ mailbox: Mailbox, since known: KnownMailbox?) async throws -> SourceMailbox {
        let opened = try read(mailbox, isListed: false)
        return SourceMailbox(
            uidValidity: Self.uidValidity, exists: opened.count, signature: Self.signature(of: opened))
    }

    /// A hash of names and marks: if it is equal, no message was added, removed or changed.
    private static func signature(of mailbox: OpenMailbox) -> String {
        var hash = SHA256.Incremental()
        mailbox.forEachPieceOfMarks { hash.update($0) }
        return Hex.encode(hash.finalize())
    }

    // MARK: Listing

    public func listing(
        of mailbox: Mailbox, uids: ClosedRange<UInt32>, detail: ListingDetail
    ) async throws -> MessageListing {
        let opened = try toList(mailbox)
        return try Self.listing(opened, 0..<opened.count)
    }

    public func parts(of mailbox: Mailbox, size: Int) async throws -> [ListingPart]? {
        let opened = try toList(mailbox)
        // Names begin with the time of delivery, so the last ones are the newest.
        return stride(from: opened.count, to: 0, by: -size).map { end in
            let range = max(0, end - size)..<end
            return ListingPart(count: range.count) { try Self.listing(opened, range) }
        }
    }

    private static func listing(_ mailbox: OpenMailbox, _ range: Range<Int>) throws -> MessageListing {
        MessageListing(
            try mailbox.entries(range).map { entry in
                ListedMessage(
                    uid: 0, remoteName: entry.unique, flags: entry.flags, keywords: entry.keywords,
                    size: entry.size, received: entry.modified)
            })
    }

    private func toList(_ mailbox: Mailbox) throws -> OpenMailbox {
        let opened = current.withLock { current -> OpenMailbox? in
            guard let reading = current, reading.mailbox.name == mailbox.name, !reading.isListed else {
                return nil
            }
            current?.isListed = true
            return reading.mailbox
        }
        return try opened ?? read(mailbox, isListed: true)
    }

    private func read(_ mailbox: Mailbox, isListed: Bool) throws -> OpenMailbox {
        let opened = try client.opened(mailbox.name)
        current.withLock { $0 = Reading(mailbox: opened, isListed: isListed) }
        return opened
    }

    // MARK: Reading

    public func fetch(
        _ messages: [ListedMessage], of mailbox: Mailbox, limit: Int,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws {
        let known = current.withLock { $0?.mailbox }
        let opened = known?.name == mailbox.name ? known : nil
        let reader = try opened ?? client.opened(mailbox.name)
        for var message in messages {
            guard let unique = message.remoteName else { continue }
            let read: OpenMailbox.MessageBytes
            do {
                read = try Self.read(unique, message, reader, limit)
            } catch MaildirError.gone {
                continue
            } catch MaildirError.permission {
                continue
            }
            message.size = message.size ?? read.size
            message.received = message.received ?? read.received
            try await deliver(
                RawMessage(
                    listed: message, bytes: read.bytes, isTruncated: (message.size ?? 0) > read.bytes.count))
        }
    }

    /// Reads up to the limit; messages that are signed as a whole are read further.
    private static func read(
        _ unique: String, _ message: ListedMessage, _ mailbox: OpenMailbox, _ limit: Int
    ) throws -> OpenMailbox.MessageBytes {
        let read = try mailbox.read(unique: unique, limit: limit)
        let size = message.size ?? read.size
        guard size > read.bytes.count, size <= SignatureCheck.messageLimit,
            MIMEParser.parse(read.bytes).isSMIMESigned
        else { return read }
        return try mailbox.read(unique: unique, limit: SignatureCheck.messageLimit)
    }
}
