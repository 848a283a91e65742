import Logging
import MIMEParser
import MailStore
import Models
import SyncPlanner
import Synchronization

/// Whether each UID of a mailbox still names the message that the store has under it.
///
/// A mailbox that was restored from a backup gives its UIDs a second time, under the same UIDVALIDITY. Its numbers show
/// that until they have risen past the old ones; after that only the messages do. Size and time are compared of all,
/// headers of those that differ and of the newest, which a restore is the first to change.
struct PlaceCheck: MailboxPart {
    /// How many of the newest messages are compared by their header.
    private static let newest = 20

    let context: MailboxContext

    /// Once a day, and whenever something is inconsistent.
    func isDue() throws -> Bool {
        let last = try store.sync.identifiedAt(of: account, mailbox: mailbox.name)
        return SyncTable.isCompareDue(comparedAt: last, now: now)
    }

    /// False: a UID names another message.
    func holds(
        _ listed: [ListedMessage], _ server: SourceMailbox, _ report: inout SyncReport.MailboxReport
    ) async throws -> Bool {
        let known = try store.sync.witnesses(of: account, mailbox: mailbox.name)
        let here = listed.filter { $0.remoteName == nil && known[$0.uid] != nil }
        let newest = Set(here.map(\.uid).sorted().suffix(Self.newest))
        let asked = here.filter { message in
            guard let witness = known[message.uid], !witness.isNamed(like: message) else { return false }
            return newest.contains(message.uid) || !witness.agrees(with: message)
        }
        let headers = try await headers(of: asked, server, &report)
        var seen: [SeenPlace] = []
        for message in asked {
            // An unreadable answer says nothing; the check is repeated tomorrow.
            guard let witness = known[message.uid], let header = headers[message.uid] else { continue }
            guard header.digest == witness.headerDigest else { return differs(message.uid) }
            let isOtherSize = message.size.map { $0 != witness.size } ?? false
            if isOtherSize, !header.identifies, message.size != witness.messageSize {
                return differs(message.uid)
            }
            if !witness.agrees(with: message) {
                seen.append(SeenPlace(uid: message.uid, size: message.size, received: message.received))
            }
        }
        try store.sync.noteIdentified(
            mailbox.name, of: account, seen: seen, at: now)
        return true
    }

    private func differs(_ uid: UInt32) -> Bool {
        context.sync.logger.warning(
            "a UID names another message under the same UIDVALIDITY: opus reads the mailbox again",
            metadata: ["account": "\(account)", "uid": "\(uid)"])
        return false
    }

    private struct Header {
        var digest: String
        var identifies: Bool
    }

    /// Without those at which the server is known to hang, or to drop the connection.
    private func headers(
        of messages: [ListedMessage], _ server: SourceMailbox, _ report: inout SyncReport.MailboxReport
    ) async throws -> [UInt32: Header] {
        guard !messages.isEmpty else { return [:] }
        let found = Mutex<[UInt32: Header]>([:])
        let doubtful = DoubtfulMessages(context, server)
        let leftOut = try await doubtful.ask(messages, .content) { messages in
            guard !messages.isEmpty else { return }
            try await source.headers(of: messages, in: mailbox) { raw in
                let block = HeaderBlock.canonical(raw.bytes)
                let header = Header(
                    digest: EmailIdentity.fingerprint(headerBlock: block),
                    identifies: HeaderBlock.identifies(block))
                found.withLock { $0[raw.listed.uid] = header }
            }
        }
        doubtful.report(leftOut, &report)
        return found.withLock(\.self)
    }
}

extension PlaceWitness {
    /// Whether the server's own name for a message says that it is the one.
    fileprivate func isNamed(like message: ListedMessage) -> Bool {
        remoteID != nil && remoteID == message.remoteID
    }

    /// A missing value does not contradict.
    fileprivate func agrees(with message: ListedMessage) -> Bool {
        func isSame<Value: Equatable>(_ a: Value?, _ b: Value?) -> Bool { a == nil || b == nil || a == b }
        return isSame(size, message.size) && isSame(received, message.received)
            && isSame(remoteID, message.remoteID)
    }
}
