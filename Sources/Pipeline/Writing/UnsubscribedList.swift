import Executor
import MailStore
import Models

/// The senders from which the user unsubscribed, as a list of the workspace: it survives the loss of the store.
///
/// A line: `news@shop.example  # work 2026-03-10T07:30:00Z mail <id@acme.example>`: the account, the time, the way, and the
/// Message-ID of a mail that asks.
struct UnsubscribedList: Sendable {
    let lists: SenderLists

    /// Lines that opus did not write are left out; so is a file that cannot be read.
    func all(of account: AccountID) -> [Unsubscription] {
        let lines = (try? lists.commented(.unsubscribed)) ?? []
        return lines.compactMap { Self.unsubscription($0.entry, $0.comment) }.filter { $0.account == account }
    }

    /// If the file cannot be written, only the store knows.
    func note(_ one: Unsubscription) {
        guard SenderLists.isEntry(one.sender) else { return }
        let words =
            [one.account.rawValue, one.at.rfc3339, one.way]
            + [one.mail.map { "<\($0.rawValue)>" }].compactMap(\.self)
        try? lists.add(one.sender, comment: " " + words.joined(separator: " "), to: .unsubscribed) {
            comment in
            Self.unsubscription(one.sender, comment)?.account == one.account
        }
    }

    private static func unsubscription(_ sender: String, _ comment: String) -> Unsubscription? {
        let words = comment.split(separator: " ").map(String.init)
        guard (3...4).contains(words.count), let at = Timestamp(rfc3339: words[1]) else { return nil }
        var mail: MessageID?
        if words.count == 4 {
            guard words[3].hasPrefix("<"), words[3].hasSuffix(">") else { return nil }
            mail = MessageID(String(words[3].dropFirst().dropLast()))
        }
        return Unsubscription(
            account: AccountID(words[0]), sender: sender, at: at, way: words[2], mail: mail)
    }
}
