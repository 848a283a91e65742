import Crypto
import MIMEParser
import MailStore
import Models

/// The state of a mail whose Message-ID is known before it is written. It keeps opus from sending a repeated
/// request twice.
struct MailTraces: Sendable {
    let store: Store

    enum Trace {
        case draft(StoredDraft)
        /// It is in the outbox.
        case sending(StoredDraft)
        case sent(Timestamp)
        /// The Drafts mailbox had it; it was discarded or undone, or another program removed it. Its Message-ID is not used
        /// again: the trash may have the message.
        case discarded
    }

    /// nil: it was never written, or the store was lost since.
    func trace(of token: MessageID, account: AccountID) throws -> Trace? {
        if let time = try departure(of: token, account) { return .sent(time) }
        if let draft = try store.drafts.drafts(of: account).first(where: { $0.messageID == token }) {
            if draft.submission?.state.isSending == true { return .sending(draft) }
            return try isThere(draft) ? .draft(draft) : .discarded
        }
        let versions = try store.drafts.appends(of: OpenDraft.versionID(of: token, 1), account: account)
        return try versions.isEmpty && !isRemoved(token, account) ? nil : .discarded
    }

    /// Whether this store removed a version that another store wrote.
    private func isRemoved(_ token: MessageID, _ account: AccountID) throws -> Bool {
        try (1...Self.mostVersions).contains {
            try store.runs.hasRemoval(of: OpenDraft.versionID(of: token, $0), account: account)
        }
    }

    /// Whether nothing has removed the draft from the Drafts mailbox, such as an undo or another program.
    private func isThere(_ draft: StoredDraft) throws -> Bool {
        guard let message = draft.pushed?.message else {
            guard draft.pushed == nil, let token = MIMEParser.parse(draft.content).envelope.messageID else {
                return true
            }
            return try !store.runs.isUndone(draft: token, account: draft.account)
        }
        let places = try store.messages.places(of: message).filter { !$0.isMissing }
        if places.contains(where: { $0.mailbox.role == .drafts }) { return true }
        // A server may leave the Drafts mailbox out of its list for a while.
        return try places.isEmpty
            && !store.sync.mailboxes(of: draft.account).contains { $0.role == .drafts }
    }

    /// When a mail was sent, by opus or by another program.
    func departure(of mail: MessageID, _ account: AccountID) throws -> Timestamp? {
        if let time = try store.runs.departure(of: mail, account: account) { return time }
        guard let message = try sentMessage(mail, account),
            let stored = try store.messages.detail(of: message)
        else { return nil }
        return stored.sent ?? stored.received
    }

    /// The copy of a mail in Sent. Anyone can write a mail with this Message-ID, so other mailboxes do not count.
    func sentMessage(_ mail: MessageID, _ account: AccountID) throws -> EmailID? {
        try store.messages.messages(with: mail, account: account).first { message in
            try store.messages.places(of: message).contains { $0.mailbox.role == .sent }
        }
    }

    /// A version of the draft of a mail in the Drafts mailbox.
    func draftMessage(_ mail: MessageID, _ account: AccountID) throws -> EmailID? {
        for revision in 1...Self.mostVersions {
            let version = OpenDraft.versionID(of: mail, revision)
            let found = try store.messages.messages(with: version, account: account).first { message in
                try store.messages.places(of: message).contains {
                    $0.mailbox.role == .drafts && !$0.isMissing
                }
            }
            if let found { return found }
        }
        return nil
    }

    private static let mostVersions = 20

    /// The Message-ID of the mail number `number`, from 0, that serves the same purpose.
    static func messageID(_ purpose: [String], _ number: Int, domain: String) -> MessageID {
        let words = purpose + [String(number)]
        let uuid = UUIDv5.make(
            namespace: UUIDv5.opusNamespace, name: Array(words.joined(separator: "\u{0}").utf8))
        return MessageID("\(uuid)@\(InternationalDomain.toASCII(domain) ?? domain)")
    }

    /// The traces of all mails that serve this purpose, and the Message-ID of the next one.
    func traces(
        of purpose: [String], _ account: AccountID, domain: String
    ) throws -> (past: [(token: MessageID, trace: Trace)], next: MessageID) {
        var past: [(token: MessageID, trace: Trace)] = []
        var token = Self.messageID(purpose, 0, domain: domain)
        while let trace = try trace(of: token, account: account) {
            past.append((token, trace))
            token = Self.messageID(purpose, past.count, domain: domain)
        }
        return (past, token)
    }
}
