import MIMEParser
import MailStore
import Models
import Rules

/// After the undo of an edit, Drafts has the version before it again, and the draft becomes that version.
struct RevertedDrafts: Sendable {
    let store: Store
    let loader: FactLoader
    let places: DraftPlaces

    /// Call after an undo in the account. `steps`: those that were undone; empty: any earlier ones.
    func revert(_ account: AccountID, undone steps: [Step] = []) throws {
        let tokens = Set(steps.compactMap(\.token))
        let messages = Set(steps.compactMap(\.message))
        let drafts = try store.drafts.drafts(of: account).filter {
            $0.isPushed && $0.submission?.state.isSending != true && $0.submission?.state != .confirmed
        }
        guard !drafts.isEmpty else { return }
        let inDrafts = try loader.facts(.role(account, .drafts), needs: .headers)
        for var draft in drafts {
            guard let pushed = draft.pushed, !inDrafts.contains(where: { $0.id == pushed.message }),
                let token = try places.token(of: pushed),
                try tokens.contains(token) || pushed.message.map(messages.contains) ?? false
                    || store.runs.isUndone(draft: token, account: account),
                let older = inDrafts.last(where: {
                    $0.header(MessageBuilder.draftField).contains(draft.messageID.rawValue)
                }), let name = older.messageID, let content = try appended(name, account)
            else { continue }
            draft.content = content
            draft.typed = nil
            draft.pushed = .init(
                revision: draft.revision, message: older.id, uid: older.key.uid, token: name)
            try store.drafts.save(draft)
        }
    }

    /// The bytes that opus put into the mailbox under this Message-ID.
    private func appended(_ token: MessageID, _ account: AccountID) throws -> [UInt8]? {
        try store.drafts.appends(of: token, account: account).lazy.compactMap { step -> [UInt8]? in
            if case .append(to: _, let message, flags: _, token: _) = step.kind { message } else { nil }
        }.last
    }
}
