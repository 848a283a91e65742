import Accounts
import Crypto
import MIMEParser
import Models
import Planner

/// The Message-ID of a mail that opus writes about a message. The same request has the same one in every run, on every machine
/// and with every store, so the mail is written only once.
struct MailIdentity: Sendable {
    let account: Account
    /// The names of messages that are not identified by their `Message-ID`.
    let names: OwnNames
    /// How often the same mail was requested before: each request makes a separate mail.
    var repetition = 0

    /// nil: it makes no mail, or an answer to each sender once in a while.
    func messageID(_ make: Action.Make, _ item: Plan.Item) -> MessageID? {
        if case .delegate(let delegation) = make { return messageID(delegation, item) }
        if case .letter(let letter) = make { return messageID(letter, item) }
        return nil
    }

    func messageID(_ delegation: Delegation, _ item: Plan.Item) -> MessageID {
        messageID(item, ["delegate", delegation.to.comparable])
    }

    func messageID(_ letter: Letter, _ item: Plan.Item) -> MessageID {
        let number = letter.number.map { ["number \($0)"] } ?? []
        return messageID(item, [letter.kind.rawValue] + letter.to.map(\.comparable) + number)
    }

    private func messageID(_ item: Plan.Item, _ wish: [String]) -> MessageID {
        let original = TodoIdentity.name(of: item.messageID, item.message, names)
        let again = repetition == 0 ? [] : ["again \(repetition)"]
        let words = [account.id.rawValue, original] + wish + again
        let uuid = UUIDv5.make(
            namespace: UUIDv5.opusNamespace, name: Array(words.joined(separator: "\u{0}").utf8))
        let domain = account.address.domain
        return MessageID("\(uuid)@\(InternationalDomain.toASCII(domain) ?? domain)")
    }
}
