import MIMEParser
import MailStore
import Models

/// The mail to send is in the account already: another machine has sent it, or this one after the backup of its store.
extension DrainPart {
    /// Where the last sync found this mail, other than as a draft. It may have left Sent, as when the user archives the
    /// conversation.
    ///
    /// `anyDate`: also with another `Date`. A mail that the user sends again has a new one.
    func knownCopy(
        of message: [UInt8], _ token: MessageID, anyDate: Bool
    ) throws -> MessagePlace? {
        let date = Self.date(of: message)
        for id in try store.messages.messages(with: token, account: account) {
            guard try anyDate || date != nil && store.messages.detail(of: id)?.sent == date else { continue }
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
