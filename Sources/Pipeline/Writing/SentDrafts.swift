import Accounts
import MIMEParser
import MailStore
import Models

/// Drafts that another program sent: they left the Drafts mailbox, and Sent has the mail.
struct SentDrafts: Sendable {
    let store: Store
    let places: DraftPlaces
    let replies: SentReplies

    /// The maximum number of mails that are compared with a draft.
    private static let most = 20

    struct Found {
        var draft: StoredDraft
        var mail: StoredMessage
        var at: Timestamp
    }

    /// A program may send a draft under another Message-ID. Then opus recognises the mail by its recipients and
    /// its subject, but only for a draft with a wait: for others, it may be a different mail.
    func found(of account: Account) throws -> [Found] {
        try store.drafts.drafts(of: account.id).compactMap { draft in
            guard draft.submission == nil, draft.isPushed, let message = draft.pushed?.message,
                let token = try draft.pushed.flatMap(places.token)
            else { return nil }
            let here = try store.messages.places(of: message)
            guard !here.contains(where: { $0.mailbox.role == .drafts && !$0.isMissing }),
                try !store.runs.isUndone(draft: token, account: account.id)
            else { return nil }
            guard let mail = try named(token, account) ?? same(draft, account) else { return nil }
            return Found(draft: draft, mail: mail, at: mail.sent ?? mail.received)
        }
    }

    private func named(_ token: MessageID, _ account: Account) throws -> StoredMessage? {
        try store.messages.messages(with: token, account: account.id).lazy
            .compactMap { try store.messages.detail(of: $0) }
            .first { replies.isSent($0, account) }
    }

    private func same(_ draft: StoredDraft, _ account: Account) throws -> StoredMessage? {
        guard DraftWaits.phrase(in: draft.content) != nil else { return nil }
        let envelope = HeaderBlock.envelope(of: draft.content)
        let subject = envelope.subject.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let people = Self.addresses(envelope.to + envelope.cc)
        guard !subject.isEmpty, !people.isEmpty else { return nil }
        let found = try store.index.search(
            [.init(.subject, subject)], account: account.id, since: draft.savedAt, limit: Self.most)
        return try found.lazy.compactMap { try store.messages.detail(of: $0) }.first { mail in
            replies.isSent(mail, account) && mail.subject == envelope.subject
                && Self.addresses(mail.to + mail.cc) == people
                && (mail.sent ?? mail.received) >= draft.savedAt
        }
    }

    private static func addresses(_ people: [EmailAddress]) -> Set<String> { Set(people.map(\.comparable)) }
}
