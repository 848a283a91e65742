import Accounts
import MIMEParser
import MailStore
import Models
import Planner
import SyncEngine

/// The mails that rules write about a message: a delegation to another person, with a note above and the
/// attached files, or a reply, with the original quoted below.
struct Delegating: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let addresses: OwnAddresses
    let originals: OriginalsReading
    let lookup: MessageLookup
    let clock: SessionClock
    let zone: ZoneClock

    /// The writer of the mails of a plan. It has read the originals of the delegated messages; it connects
    /// only if there are any. `isAsked`: the user requests it now, so an earlier failure does not count.
    func letters(
        for plan: Plan, account: Account, names: OwnNames, isAsked: Bool = false
    ) async throws -> LetterWriter {
        let items = plan.items.filter { $0.decisions.contains { $0.action.needsOriginal } }
        let read =
            items.isEmpty
            ? OriginalsReading.Result()
            : try await originals.read(items.map(\.message), of: account, isAsked: isAsked)
        return LetterWriter(
            workspace: workspace, accounts: accounts, addresses: addresses, lookup: lookup, clock: clock,
            zone: zone, account: account, originals: read.bytes, failures: read.failures,
            identity: MailIdentity(account: account, names: names))
    }
}

/// Writes the mails of one plan.
struct LetterWriter: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let addresses: OwnAddresses
    let lookup: MessageLookup
    let clock: SessionClock
    let zone: ZoneClock
    let account: Account
    /// The bytes of the originals that could be read.
    let originals: [EmailID: [UInt8]]
    /// Why the others could not be read.
    let failures: [EmailID: OriginalsReading.Failure]
    var identity: MailIdentity
    static let mostRepetitions = 100

    func compose(_ delegation: Delegation, _ item: Plan.Item) throws -> ComposedMail {
        let stored = try lookup.require(item.message)
        let original = MIMEParser.parse(try wholeOriginal(of: item))
        let messageID = identity.messageID(delegation, item)
        let from = addresses.reached(stored, account)
        var response = Response(to: original, from: from, date: clock.now, messageID: messageID)
        response.zoneOffset = zone.offset(at:)
        // A draft is sent by the user; a mail that opus sends itself is marked as automatic.
        response.autoSubmitted = delegation.sending == .now ? .generated : nil
        var builder = response.delegate(to: delegation.to, note: delegation.note)
        if delegation.sending == .now {
            builder.extraHeaders.append(
                HeaderField(name: MessageBuilder.loopField, body: account.address.addrSpec))
        }
        return ComposedMail(
            message: try builder.build(), messageID: messageID,
            reversePath: try MessageBuilder.envelopeAddress(from),
            forwardPaths: [try MessageBuilder.envelopeAddress(delegation.to)],
            sentMailbox: try accounts.sentMailbox(from, account))
    }

    func write(_ letter: Letter, _ item: Plan.Item) throws -> ComposedMail? {
        let stored = try lookup.require(item.message)
        let original =
            letter.kind == .forward ? MIMEParser.parse(try wholeOriginal(of: item)) : stored.readable
        let from = addresses.reached(stored, account)
        var response = Response(
            to: original, from: from, ownAddresses: workspace.addresses, date: clock.now,
            messageID: identity.messageID(letter, item))
        response.zoneOffset = zone.offset(at:)
        // A draft is sent by the user; a mail that opus sends itself is marked as automatic.
        let isReply = letter.kind == .reply
        if letter.sending == .now { response.autoSubmitted = isReply ? .replied : .generated }
        var builder =
            isReply ? response.reply(letter.text) : response.forwardInline(to: letter.to, note: letter.text)
        builder.to = letter.to
        builder.cc = []
        if let subject = letter.subject { builder.subject = HeaderText.clean(subject) }
        if letter.sending == .now {
            builder.extraHeaders.append(
                HeaderField(name: MessageBuilder.loopField, body: account.address.addrSpec))
        }
        return ComposedMail(
            message: try builder.build(), messageID: builder.messageID,
            reversePath: try MessageBuilder.envelopeAddress(from),
            forwardPaths: try letter.to.map { try MessageBuilder.envelopeAddress($0) },
            sentMailbox: try accounts.sentMailbox(from, account))
    }

    /// Removes and returns the items that need the whole message, if it could not be read: a forward without its files,
    /// or a move without its copy, would lose something.
    func leaveOutUnread(of plan: inout Plan) -> [UnreadMessage] {
        let unread = plan.items.compactMap { item -> UnreadMessage? in
            guard originals[item.message] == nil,
                let cause = item.decisions.first(where: { $0.action.needsOriginal })
            else { return nil }
            let failure = failures[item.message] ?? .notReturned
            return UnreadMessage(
                message: item.message, subject: item.subject, rule: cause.rule, reason: failure.reason,
                isNew: failure.isNew)
        }
        let messages = Set(unread.map(\.message))
        plan.items.removeAll { messages.contains($0.message) }
        for index in plan.items.indices {
            plan.items[index].threadKeys.removeAll { messages.contains($0.message) }
        }
        return unread
    }

    /// A forward without the files of the message would look complete.
    private func wholeOriginal(of item: Plan.Item) throws -> [UInt8] {
        if let bytes = originals[item.message] { return bytes }
        throw missing(item)
    }

    /// Whether the server hung or dropped the connection instead of returning the message.
    func isLost(_ item: Plan.Item) -> Bool {
        if case .lost = failures[item.message] { true } else { false }
    }

    /// The problem of a command that needs the whole message.
    func missing(_ item: Plan.Item) -> Problem {
        guard let failure = failures[item.message], isLost(item) else {
            return Problem(
                "gone", exit: .notFound,
                message: "the account did not return the message “\(item.subject)”", next: ["opus sync"])
        }
        return Problem(
            "message-lost", exit: .someFailed,
            message: "\(failure.reason), so nothing was done with it: “\(item.subject)”",
            next: ["try again later"])
    }

    /// Whether the mail of the delegation exists: as a draft, even in the trash, or sent.
    func isWritten(_ delegation: Delegation, _ item: Plan.Item, in store: Store) throws -> Bool {
        let mail = identity.messageID(delegation, item)
        return try store.runs.appended(mail, account: account.id) != nil
            || store.messages.message(with: mail, account: account.id) != nil
    }
}
