import MIMEParser
import MailStore
import Models

/// The mail to send is in the account already: another machine has sent it, or this one after the backup of its store.
extension DrainPart {
    /// Where the last sync found this mail of the user, other than as a draft. It may have left Sent, as when the user
    /// archives the conversation. A mail that the user sends again has another `Date`.
    ///
    /// Not for mail of a rule: a stranger may guess its Message-ID, and outside of Sent, anyone can put a message.
    func knownCopy(of message: [UInt8], _ token: MessageID) throws -> MessagePlace? {
        guard let date = Self.date(of: message) else { return nil }
        for id in try store.messages.messages(with: token, account: account) {
            guard try store.messages.detail(of: id)?.sent == date else { continue }
            let place = try store.messages.places(of: id).first {
                $0.mailbox.role != .drafts && !$0.flags.contains(.draft) && !$0.isMissing
            }
            if let place { return place }
        }
        return nil
    }

    /// The time in the `Date` field.
    static func date(of message: [UInt8]) -> Timestamp? {
        HeaderBlock.envelope(of: MIMEParser.parse(message).headerBlock).date
    }
}

extension MessagePlace {
    /// A step that has nothing to do, because this message is there.
    var outcome: StepOutcome {
        var outcome = StepOutcome()
        outcome.place = key
        outcome.remoteName = remoteName
        return outcome
    }

    /// `Archive as UID 7`.
    var words: String { "\(mailbox.displayName) as \(remoteName ?? "UID \(key.uid)")" }
}
