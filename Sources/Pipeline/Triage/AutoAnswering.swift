import Accounts
import Crypto
import MIMEParser
import MailStore
import Models
import Planner

/// Writes automatic replies: short, marked as automatic, and without text of the sender.
struct AutoAnswering: Sendable {
    let accounts: AccountAccess
    let addresses: OwnAddresses
    let lookup: MessageLookup
    let clock: SessionClock
    let zone: ZoneClock

    func answer(_ reply: AutoReply, _ item: Plan.Item, _ account: Account) throws -> ComposedMail? {
        let stored = try lookup.require(item.message)
        let from = addresses.reached(stored, account)
        let original = stored.messageID
        var builder = MessageBuilder(
            from: from, to: [reply.to], subject: HeaderText.clean(reply.subject), text: reply.text + "\n",
            date: clock.now,
            messageID: identity(reply, item, account))
        builder.zoneOffsetSeconds = zone.offset(at: clock.now)
        builder.inReplyTo = original
        builder.references = original.map { [$0] } ?? []
        // A draft is sent by the user, so it is not marked as automatic.
        if reply.sending == .now {
            builder.autoSubmitted = .replied
            builder.extraHeaders = [
                HeaderField(name: MessageBuilder.loopField, body: account.address.addrSpec),
                HeaderField(name: "Precedence", body: "bulk"),
            ]
        }
        return ComposedMail(
            message: try builder.build(), messageID: builder.messageID,
            reversePath: try MessageBuilder.envelopeAddress(from),
            forwardPaths: [try MessageBuilder.envelopeAddress(reply.to)],
            sentMailbox: try accounts.sentMailbox(from, account))
    }

    /// The same reply to the same message has the same Message-ID in every run.
    private func identity(_ reply: AutoReply, _ item: Plan.Item, _ account: Account) -> MessageID {
        let words = [account.id.rawValue, item.messageID?.rawValue ?? item.message.rawValue, "vacation"]
        let uuid = UUIDv5.make(
            namespace: UUIDv5.opusNamespace, name: Array(words.joined(separator: "\u{0}").utf8))
        let domain = account.address.domain
        return MessageID("\(uuid)@\(InternationalDomain.toASCII(domain) ?? domain)")
    }
}
