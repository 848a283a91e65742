import IMAPClient
import IMAPProtocol
import MailStore
import Models
import NIOCore
import SyncPlanner

/// Converts IMAP values to values of the sync.
extension IMAPClientError {
    /// Whether all later calls on the connection fail, too.
    var endsTheSession: Bool {
        switch self {
        case .refused, .invalidRequest, .missingCapability, .noMailboxSelected, .unsafe, .notAllowed: false
        case .transport, .plaintextRefused, .preauthBeforeTLS, .startTLSRefused, .loginRefused,
            .loginUnavailable,
            .noLoginMechanism, .badCredentials, .partlyDone, .bye, .limit, .protocol, .abandoned, .loggedOut:
            true
        }
    }
}

extension InterruptedFetch {
    init(_ fetch: UnansweredFetch) { self.init(uids: fetch.uids, isAlone: fetch.isAlone) }
}

extension ChangeReporting {
    var inOurWords: ChangeTracking {
        switch self {
        case .none: .none
        case .condstore: .condstore
        case .qresync: .qresync
        }
    }
}

extension MessageMarks {
    init(uid: UInt32, atoms: [String]) {
        self.init(uid: uid, flags: FlagAtoms.flags(atoms), keywords: FlagAtoms.keywords(atoms))
    }
}

extension SourceChanges {
    init(_ changes: MailboxChanges) {
        self.init(
            marks: changes.flags.map { MessageMarks(uid: $0.uid, atoms: $0.flags) },
            vanished: changes.vanished, isComplete: changes.isComplete)
    }
}

extension SourceMailbox {
    /// nil if a required number is missing.
    init?(_ status: MailboxStatus) {
        guard let uidValidity = status.uidValidity, let messages = status.messages else { return nil }
        self.init(
            uidValidity: uidValidity, uidNext: status.uidNext.flatMap { $0 > 0 ? $0 : nil },
            highestModSeq: status.highestModSeq, exists: Int(messages))
    }
}

extension SourceMailbox {
    init(_ selected: SelectedMailbox) {
        self.init(
            uidValidity: selected.uidValidity, uidNext: selected.uidNext,
            highestModSeq: selected.highestModSeq, exists: selected.exists,
            changes: selected.changes.map(SourceChanges.init))
    }
}

extension ResyncState {
    init(_ known: KnownMailbox) {
        self.init(
            uidValidity: known.uidValidity, modSeq: known.modSeq,
            knownUIDs: UIDSet(1...(max(2, known.below) - 1)))
    }
}

extension ResyncRequest {
    init(_ wish: ResyncWish, _ naming: MessageNaming, limit: Int) {
        var items = FetchItems.listing.naming(naming)
        switch wish.new {
        case .none: break
        case .headers: items.header = true
        case .messages: items.body = .first(limit)
        }
        self.init(
            mailbox: wish.mailbox.name.bytes, known: ResyncState(wish.known),
            new: wish.new == .none || wish.uidNext <= wish.known.below
                ? nil : wish.known.below...(wish.uidNext - 1),
            items: items)
    }
}

extension RawMessage {
    /// nil if a requested item is missing, or if the message is longer than the limit: then it is fetched separately.
    init?(_ message: FetchedMessage, wish: ResyncWish, limit: Int) {
        let bytes = wish.new == .headers ? message.header : message.body
        guard message.uid > 0, message.missing.isEmpty, let bytes else { return nil }
        let isLong = bytes.readableBytes >= limit && (message.size ?? .max) > bytes.readableBytes
        guard wish.new == .headers || !isLong else { return nil }
        var marks = MarkReader()
        self.init(
            listed: ListedMessage(message, &marks), bytes: Array(bytes.readableBytesView), isTruncated: false)
    }
}

extension FetchItems {
    /// The same with the server's id of the message, and with Gmail's labels, which count as marks.
    func naming(_ naming: MessageNaming) -> FetchItems {
        var items = self
        items.objectIDs = naming == .objectID
        items.gmailIDs = naming == .gmail
        items.gmailLabels = naming == .gmail
        return items
    }

    /// The same with all items that count as marks on this server.
    func marking(_ naming: MessageNaming) -> FetchItems {
        var items = self
        items.gmailLabels = naming == .gmail
        return items
    }
}

extension ListedMessage {
    init(_ message: FetchedMessage, _ reader: inout MarkReader) {
        let marks = reader.marks(message.flags, labels: message.labels)
        let gmail = message.gmailID.map { "G\($0)" }
        self.init(
            uid: message.uid, remoteID: gmail ?? message.emailID.map { "E" + $0 }, flags: marks.flags,
            keywords: marks.keywords, size: message.size,
            received: message.internalDate.map(Timestamp.init(seconds:)))
    }
}
