import Accounts
import Crypto
import MIMEParser
import MailStore
import Models
import Planner
import SyncEngine

/// The mail that hands a message to somebody else: our note, then the original below it with its files.
struct Delegating: Sendable {
    let session: Session
    let account: Account
    /// The bytes of the originals that could be read.
    private let originals: [EmailID: [UInt8]]

    /// Reads the originals of a plan's delegations; connects only when there are any.
    static func prepare(_ plan: Plan, session: Session, account: Account) async throws -> Delegating {
        let items = plan.items.filter { $0.decisions.contains { $0.action.isDelegation } }
        guard !items.isEmpty else { return Delegating(session: session, account: account, originals: [:]) }
        let originals = try await session.connected(account) { connection in
            var originals: [EmailID: [UInt8]] = [:]
            for item in items {
                originals[item.message] = try await session.bytes(of: item.message, over: connection)
            }
            return originals
        }
        return Delegating(session: session, account: account, originals: originals)
    }

    func compose(_ delegation: Delegation, _ item: Plan.Item) throws -> ComposedMail {
        let stored = try session.requireMessage(item.message)
        let original = MIMEParser.parse(
            originals[item.message] ?? stored.headerBlock + Array(stored.text.utf8))
        let messageID = identity(delegation, item)
        let from = EmailAddress(
            displayName: session.workspace.name, localPart: account.address.localPart,
            domain: account.address.domain)
        var response = Response(to: original, from: from, date: session.now, messageID: messageID)
        response.zoneOffsetSeconds = session.zone.offset(at: session.now)
        // A draft is a person's to send; what we submit ourselves says that a program wrote it.
        response.autoSubmitted = delegation.sending == .now ? .generated : nil
        var builder = response.delegate(to: delegation.to, note: delegation.note)
        if delegation.sending == .now {
            builder.extraHeaders.append(
                HeaderField(name: MessageBuilder.loopField, body: account.address.addrSpec))
        }
        return ComposedMail(
            message: try builder.build(), messageID: messageID,
            reversePath: try MessageBuilder.envelopeAddress(account.address),
            forwardPaths: [try MessageBuilder.envelopeAddress(delegation.to)])
    }

    /// The same wish has the same Message-ID in every run, so a draft or a mail is made once.
    private func identity(_ delegation: Delegation, _ item: Plan.Item) -> MessageID {
        let original = item.messageID?.rawValue ?? item.message.rawValue
        let words = [account.id.rawValue, original, "delegate", delegation.to.comparable]
        let uuid = UUIDv5.make(
            namespace: UUIDv5.opusNamespace, name: Array(words.joined(separator: "\u{0}").utf8))
        let domain = account.address.domain
        return MessageID("\(uuid)@\(InternationalDomain.toASCII(domain) ?? domain)")
    }
}

extension Action {
    fileprivate var isDelegation: Bool {
        if case .delegate = self { return true }
        return false
    }
}
