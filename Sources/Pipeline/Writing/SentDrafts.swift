import Accounts
import Executor
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
            guard try !isInDrafts(message), try !store.runs.isUndone(draft: token, account: account.id)
            else { return nil }
            let isAwaited = DraftWaits.phrase(in: draft.content) != nil
            guard let mail = try named(token, account) ?? (isAwaited ? same(draft, account) : nil) else {
                return nil
            }
            return Found(draft: draft, mail: mail, at: mail.sent ?? mail.received)
        }
    }

    /// The mail with which another program sent a draft while opus held it in the outbox. The draft has left Drafts, so any
    /// mail to one of its recipients counts, from any account: opus only asks the user.
    func found(for step: Step, of account: Account) throws -> SentElsewhere? {
        guard case .submit(reversePath: _, forwardPaths: _, message: _, let name) = step.kind,
            let draft = try store.drafts.drafts(of: account.id).first(where: { $0.messageID == name }),
            let message = draft.pushed?.message, let token = try draft.pushed.flatMap(places.token),
            try !isInDrafts(message),
            let mail = try named(token, account) ?? alike(draft),
            let place = mail.places.first(where: { !$0.isMissing })
        else { return nil }
        return SentElsewhere(
            place: place.key,
            words:
                "another program seems to have sent this draft: the draft left the Drafts mailbox, and "
                + "\(place.mailbox.displayName) has a mail like it")
    }

    /// A mail in Sent with the recipients, the subject and the text of this draft: another machine seems to have sent it, or
    /// this one before its store was lost. Mail that this store sent does not count: it knows which draft that was.
    func twin(of draft: StoredDraft) throws -> StoredMessage? {
        guard draft.isPushed, let message = draft.pushed?.message,
            let original = try store.messages.detail(of: message), original.messageID != nil
        else { return nil }
        let envelope = HeaderBlock.envelope(of: draft.content)
        let people = Self.addresses(envelope.to + envelope.cc)
        let since = original.sent ?? original.received
        for mail in try store.messages.mailInSent(since: since, account: draft.account) {
            let header = HeaderBlock.envelope(of: mail.headerBlock)
            guard header.subject == envelope.subject, Self.addresses(header.to + header.cc) == people,
                try store.runs.departure(of: mail.messageID, account: draft.account) == nil
            else { continue }
            let copies = try store.messages.messages(with: mail.messageID, account: draft.account)
                .compactMap { try store.messages.detail(of: $0) }
            if let twin = copies.first(where: { $0.text == original.text }) { return twin }
        }
        return nil
    }

    private func isInDrafts(_ message: EmailID) throws -> Bool {
        try store.messages.places(of: message).contains { $0.mailbox.role == .drafts && !$0.isMissing }
    }

    private func named(_ token: MessageID, _ account: Account) throws -> StoredMessage? {
        try store.messages.messages(with: token, account: account.id).lazy
            .compactMap { try store.messages.detail(of: $0) }
            .first { replies.isSent($0, account) }
    }

    private func same(_ draft: StoredDraft, _ account: Account) throws -> StoredMessage? {
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

    /// The first mail to one of the draft's recipients that another program has sent since the draft was saved.
    private func alike(_ draft: StoredDraft) throws -> StoredMessage? {
        let people = Self.recipients(HeaderBlock.envelope(of: draft.content))
        for account in replies.workspace.accounts {
            let sent = try store.messages.mailInSent(since: draft.savedAt, account: account.id)
            for mail in sent
            where !people.isDisjoint(with: Self.recipients(HeaderBlock.envelope(of: mail.headerBlock))) {
                guard try store.runs.submission(of: mail.messageID, account: account.id) == nil else {
                    continue
                }
                if let found = try named(mail.messageID, account) { return found }
            }
        }
        return nil
    }

    private static func recipients(_ envelope: Envelope) -> Set<String> {
        addresses(envelope.to + envelope.cc + envelope.bcc)
    }

    private static func addresses(_ people: [EmailAddress]) -> Set<String> { Set(people.map(\.comparable)) }
}
