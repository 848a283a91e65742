import MIMEParser
public import MaildirClient
public import Models
import Synchronization

/// A Maildir as a ``MailSource``: messages are identified by name, and the store assigns their UIDs.
///
/// A sync reads the folder of a mailbox once, and only if it changed since the last sync. Listing and fetching use the
/// names that `open` read.
public final class MaildirMailSource: MailSource {
    private let client: Maildir
    /// The clock, in seconds, with which opus computes how old the times of a folder are.
    private let clock: (@Sendable () -> Int)?
    private let current = Mutex<Reading?>(nil)

    /// The mailbox that was opened last.
    private struct Reading {
        let mailbox: OpenMailbox
        let noted: MaildirNote?
        /// Whether its messages were listed. A second listing reads the folder again, because it may have changed.
        var isListed = false
    }

    /// `clock` is nil: the clock of the system.
    public init(client: Maildir, clock: (@Sendable () -> Int)? = nil) {
        self.client = client
        self.clock = clock
    }

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
        try await open(mailbox, since: known, noted: nil)
    }

    public func open(
        _ mailbox: Mailbox, since known: KnownMailbox?, noted: String?
    ) async throws -> SourceMailbox {
        let noted = noted.flatMap(MaildirNote.init)
        let opened = try client.opened(mailbox.name, noted: noted?.times, at: clock?())
        current.withLock { $0 = Reading(mailbox: opened, noted: noted) }
        let note = MaildirNote(opened, before: noted)
        return SourceMailbox(
            uidValidity: Self.uidValidity, exists: note.count, signature: note.description,
            isAsNoted: noted.map(note.hasSameMessages) ?? false)
    }

    // MARK: New messages only

    /// If `new` has more names than this, the whole mailbox is compared.
    private static let mostLookedUp = 5_000

    public func arrivals(
        of mailbox: Mailbox, known: ([String]) throws -> Set<String>
    ) async throws -> MessageListing? {
        guard let reading = current.withLock(\.self), reading.mailbox.name == mailbox.name,
            case .new = reading.mailbox.extent, let noted = reading.noted,
            reading.mailbox.count <= Self.mostLookedUp
        else { return nil }
        let names = reading.mailbox.uniqueNames
        let known = try known(names)
        let digest = MaildirNote.digest(reading.mailbox, inNew: true, where: known.contains)
        guard digest == noted.new.digest else { return nil }
        return MessageListing(
            try names.indices.lazy.filter { !known.contains(names[$0]) }
                .compactMap { try reading.mailbox.entry($0) }.map(Self.listed))
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
            try mailbox.entries(range).map(listed))
    }

    private static func listed(_ entry: MaildirEntry) -> ListedMessage {
        ListedMessage(
            uid: 0, remoteName: entry.unique, flags: entry.flags, keywords: entry.keywords, size: entry.size,
            received: entry.modified)
    }

    private func toList(_ mailbox: Mailbox) throws -> OpenMailbox {
        let opened = current.withLock { current -> OpenMailbox? in
            guard let reading = current, reading.mailbox.name == mailbox.name, !reading.isListed,
                case .everything = reading.mailbox.extent
            else { return nil }
            current?.isListed = true
            return reading.mailbox
        }
        if let opened { return opened }
        let all = try client.opened(mailbox.name)
        current.withLock { $0 = Reading(mailbox: all, noted: nil, isListed: true) }
        return all
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
            do {
                let read = try reader.read(unique: unique, limit: limit)
                message.size = message.size ?? read.size
                message.received = message.received ?? read.received
                guard read.size > read.bytes.count else {
                    try await deliver(RawMessage(listed: message, bytes: read.bytes, isTruncated: false))
                    continue
                }
                let whole = try reader.read(unique: unique, limit: Self.largest)
                try await deliver(Self.long(message, whole, limit))
            } catch MaildirError.gone {
                continue
            } catch MaildirError.permission {
                continue
            }
        }
    }

    /// Of a larger message, opus reads only the first bytes.
    private static let largest = 64 << 20

    /// A message that is longer than the limit, without its files; a message that is signed as a whole, with them. If its
    /// headers are too large, its first bytes.
    private static func long(
        _ listed: ListedMessage, _ read: OpenMailbox.MessageBytes, _ limit: Int
    ) -> RawMessage {
        let message = MIMEParser.parse(read.bytes)
        let isWhole = read.size <= read.bytes.count
        if isWhole, message.isSMIMESigned, read.size <= SignatureCheck.messageLimit {
            return RawMessage(listed: listed, bytes: read.bytes, isTruncated: false)
        }
        guard message.headerBlock.count <= limit, let outline = MessageOutline(of: message, limit: limit)
        else {
            return RawMessage(
                listed: listed, bytes: Array(read.bytes.prefix(limit)), isTruncated: true, isBeginning: true)
        }
        return RawMessage(
            listed: listed, bytes: outline.bytes, isTruncated: outline.isTruncated || !isWhole,
            omitted: outline.omitted,
            isBeginning: !isWhole || message.exceededLimits.contains(Defect.Name.tooManyParts.rawValue))
    }
}
