import Logging
import MIMEParser
import MailStore
import Models
import SyncPlanner
import Synchronization

/// Checks whether each UID of a mailbox still belongs to the stored message.
///
/// A mailbox that was restored from a backup assigns UIDs a second time, under the same UIDVALIDITY. Its
/// numbers show that until they exceed the old ones; after that, only the messages do. The check compares
/// size and time of all messages, and the headers of messages that differ and of the newest ones, which a
/// restore changes first.
struct PlaceCheck: MailboxPart {
    /// The number of the newest messages whose headers are compared.
    private static let newest = 20

    let context: MailboxContext

    /// Once a day, and whenever something is inconsistent.
    func isDue() throws -> Bool {
        let last = try store.sync.identifiedAt(of: account, mailbox: mailbox.name)
        return SyncTable.isCompareDue(comparedAt: last, now: now)
    }

    /// False: a UID belongs to another message.
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
            // A response that could not be read proves nothing; the check is repeated tomorrow.
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

    /// Without the messages at which the server is known to hang or drop the connection.
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
    /// Whether the server's id of the message is the stored one.
    fileprivate func isNamed(like message: ListedMessage) -> Bool {
        remoteID != nil && remoteID == message.remoteID
    }

    /// Missing values count as equal.
    fileprivate func agrees(with message: ListedMessage) -> Bool {
        func isSame<Value: Equatable>(_ a: Value?, _ b: Value?) -> Bool { a == nil || b == nil || a == b }
        return isSame(size, message.size) && isSame(received, message.received)
            && isSame(remoteID, message.remoteID)
    }
}
