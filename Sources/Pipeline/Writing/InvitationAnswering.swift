import Accounts
import MIMEParser
import MailStore
public import Models
import TodoCalendar

/// Answers invitations by mail, only when the user requests it. RFC 5546 §3.2.3, RFC 6047.
public struct InvitationAnswering: Sendable {
    let accounts: AccountAccess
    let workspace: Workspace
    let lookup: MessageLookup
    let originals: OriginalReader
    let store: Store
    let drafts: Drafts
    let traces: MailTraces
    let elsewhere: EarlierAnswers
    let addresses: OwnAddresses
    let syncing: AccountSyncing
    let clock: SessionClock

    /// An answer that is not saved yet.
    public struct Plan: Sendable {
        /// Text of the sender.
        public var summary: String
        public var start: TodoDate?
        /// Warnings for the user before confirming. They contain text of the sender.
        public var warnings: [String]
        /// The last answer to the same invitation that was sent or is in the outbox.
        public var earlier: Earlier?
        /// Whether that answer was the same, so that opus sends nothing.
        public var isRepeated = false
        public var draft: OpenDraft
    }

    /// An answer that was given before.
    public struct Earlier: Sendable {
        /// nil: opus cannot read it.
        public var answer: InvitationAnswer?
        /// nil: it is in the outbox.
        public var sentAt: Timestamp?
        public var messageID: MessageID
        /// false: another mail program sent it.
        public var isByOpus = true
        /// The run in which opus sent it: of two answers in the same second, the later one counts.
        public var run: RunID?
    }

    /// Syncs the account of the message: another machine or program may have answered since the last sync. Continues if
    /// the account cannot be reached.
    public func lookAgain(_ typed: String) async throws {
        try await syncing.lookAgain(lookup.message(typed).account)
    }

    /// The answer to the invitation in this message: a mail from the invited address to the organizer.
    ///
    /// `again`: also if the same answer was sent before.
    ///
    /// - Throws: ``Problem`` if there is no invitation, it is not for the user, the organizer has cancelled it or sent
    ///   a newer version, or another answer is in the outbox.
    public func plan(
        _ typed: String, _ answer: InvitationAnswer, note: String, again: Bool = false
    ) async throws -> Plan {
        let stored = try lookup.message(typed)
        let account = try accounts.require(stored.account)
        let message = MIMEParser.parse(try await originals.bytes(ofTyped: typed))
        let invitation = try invitation(in: message, typed)
        let organizer = try organizer(of: invitation)
        let attendee = try attendee(of: invitation, account)
        let writer = message.envelope.from.first
        try await requireCurrent(
            invitation, stored, trusting: [organizer, writer].compactMap(\.self))
        var warnings: [String] = []
        if let writer, writer.domain != organizer.domain {
            warnings.append(
                "the answer goes to the organizer \(organizer.addrSpec); the invitation came from \(writer.addrSpec), of another domain"
            )
        }
        if let over = invitation.facts?.over, isPast(over) { warnings.append("the event is over") }
        if invitation.recurrence == nil, invitation.rule != nil {
            warnings.append("the event repeats: the answer is for all its dates")
        }
        if invitation.hasOtherEvents {
            warnings.append("the mail has more than one event: the answer is for this one only")
        }
        if let zone = invitation.unknownZone {
            warnings.append("opus does not know the time zone “\(zone)”, so the time is the organizer's")
        }
        guard note.utf8.count <= Self.mostNote else {
            throw Problem(
                "long-note", exit: .usage, message: "the note has more than \(Self.mostNote) bytes",
                next: ["opus reply \(typed)"])
        }
        try account.require(.draft)
        var draft = try draft(invitation, organizer, attendee, answer, note, account, stored, message)
        let past = try traces.traces(
            of: Self.purpose(invitation, attendee, account), account.id, domain: account.address.domain)
        let elsewhere = try await elsewhere.last(
            invitation, attendee, stored, account, besides: Set(past.past.map(\.token)))
        var earlier = Self.later(try await earlier(past.past, invitation, account), elsewhere)
        earlier = Self.later(earlier, try await earlierElsewhere(invitation, attendee, stored))
        // A reply without an answer for calendar programs may say anything, so it counts as the same answer.
        let isRepeated =
            earlier.map { !again && ($0.answer == answer || ($0.answer == nil && !$0.isByOpus)) } ?? false
        if !isRepeated { draft = try self.draft(draft, after: past.past, next: past.next) }
        return Plan(
            summary: invitation.summary, start: invitation.start, warnings: warnings, earlier: earlier,
            isRepeated: isRepeated, draft: draft)
    }

    private static let mostNote = 4_000
    private static let mostCalendar = EarlierAnswers.mostCalendar

    // MARK: Checks

    private func invitation(in message: ParsedMessage, _ typed: String) throws(Problem) -> Invitation {
        guard let bytes = message.calendar(limit: Self.mostCalendar) else {
            throw Problem(
                "no-invitation", exit: .notFound, message: "the message has no invitation",
                next: ["opus list is:invite", "opus reply \(typed)"])
        }
        let invitation: Invitation
        do {
            invitation = try Invitation.read(bytes)
        } catch {
            throw Problem(
                "bad-invitation", exit: .badData, message: "the invitation cannot be read: \(error)",
                next: ["opus reply \(typed)"])
        }
        switch invitation.method {
        case "REQUEST": return invitation
        case "CANCEL":
            throw Problem(
                "event-cancelled", exit: .badData,
                message: "the message cancels the event; it asks for no answer",
                next: ["opus archive \(typed)"])
        case _:
            throw Problem(
                "no-invitation", exit: .badData,
                message: "the calendar part of the message asks for no answer"
                    + (invitation.method.isEmpty ? "" : " (METHOD:\(invitation.method))"),
                next: ["opus reply \(typed)"])
        }
    }

    private func organizer(of invitation: Invitation) throws(Problem) -> EmailAddress {
        guard let organizer = invitation.organizer, !organizer.domain.isEmpty else {
            throw Problem(
                "bad-invitation", exit: .badData,
                message: "the invitation names no organizer with a mail address")
        }
        guard !OwnAddressSet(workspace.addresses).contains(organizer) else {
            throw Problem(
                "own-invitation", exit: .badData, message: "you are the organizer of this event",
                next: ["opus list is:invite"])
        }
        return organizer
    }

    /// The user's own address that was invited.
    private func attendee(of invitation: Invitation, _ account: Account) throws(Problem) -> EmailAddress {
        for address in account.addresses + workspace.addresses {
            let own = OwnAddressSet([address])
            if let invited = invitation.attendees.first(where: own.contains) {
                return addresses.named(invited)
            }
        }
        throw Problem(
            "not-invited", exit: .badData, message: "none of your addresses is among the attendees",
            details: ["the invitation may have come through a list, or for another address of yours"],
            next: ["me: { addresses: [ … ] } in opus.yaml names your addresses"])
    }

    /// Throws if the event was cancelled, or if there is a newer invitation. Only mail of the organizer, or of the
    /// writer of this invitation, counts, in every account. A mail about one date of a series says nothing about the others.
    private func requireCurrent(
        _ invitation: Invitation, _ stored: StoredMessage, trusting: [EmailAddress]
    ) async throws {
        let writers = Set(trusting.map(\.comparable))
        let others = try workspace.accounts.flatMap {
            try store.messages.messages(aboutEvent: invitation.uid, account: $0.id)
        }
        for other in others where other.message != stored.id {
            guard other.addresses.contains(where: { writers.contains($0.comparable) }),
                other.event.sequence >= invitation.sequence
            else { continue }
            switch other.event.method {
            case .cancel:
                guard await isAbout(invitation.recurrence, other.message) else { continue }
                if other.event.sequence == invitation.sequence {
                    guard try await isLater(other.message, than: invitation, stored) else { continue }
                }
                let name = try lookup.shortIDs([other.message])[other.message] ?? other.message.rawValue
                throw Problem(
                    "event-cancelled", exit: .badData, message: "the organizer has cancelled this event",
                    next: ["opus show \(name)"])
            case .request:
                guard await isAbout(invitation.recurrence, other.message) else { continue }
                if other.event.sequence == invitation.sequence {
                    guard let version = await version(other.message),
                        version.isAtAnotherTime(than: invitation, timeZone: workspace.timeZone),
                        try await isLater(other.message, than: invitation, stored)
                    else { continue }
                }
                let name = try lookup.shortIDs([other.message])[other.message] ?? other.message.rawValue
                throw Problem(
                    "old-invitation", exit: .badData, message: "the organizer has sent a newer invitation",
                    next: ["opus show \(name)", "opus answer \(name) yes"])
            case .reply, .publish, .other: continue
            }
        }
    }

    /// Whether the calendar part of the message is about the whole series, or about this date of it. `date`: nil: the
    /// whole series.
    private func isAbout(_ date: TodoDate?, _ message: EmailID) async -> Bool {
        guard let other = await version(message) else { return date == nil }
        return other.recurrence == nil || other.recurrence == date
    }

    /// nil: it cannot be read; it may be in an account that cannot be reached.
    private func version(_ message: EmailID) async -> Invitation? {
        let bytes = (try? await originals.bytes(ofTyped: message.rawValue)) ?? []
        return MIMEParser.parse(bytes).calendar(limit: Self.mostCalendar).flatMap {
            try? Invitation.read($0)
        }
    }

    /// Of two versions with the same number, the one that the organizer wrote later counts: a person may be invited again
    /// after a cancellation. RFC 5546 §2.1.5.
    private func isLater(
        _ other: EmailID, than invitation: Invitation, _ stored: StoredMessage
    ) async throws -> Bool {
        if let stamp = invitation.stamp, let later = await version(other)?.stamp, later != stamp {
            return later > stamp
        }
        let received = try store.messages.detail(of: other)?.received
        return received.map { $0 >= stored.received } ?? true
    }

    private func isPast(_ over: TodoDate) -> Bool {
        let zone = ZoneClock(zone: workspace.timeZone)
        return switch over {
        case .date(let day): day <= zone.local(clock.now).date
        case .instant(let time): time <= clock.now
        case .local(let local, zone: _): local <= zone.local(clock.now)
        }
    }

    // MARK: Earlier answers

    /// The purpose of the answers of one attendee to one version of an invitation, whose mails are numbered.
    private static func purpose(
        _ invitation: Invitation, _ attendee: EmailAddress, _ account: Account
    ) -> [String] {
        let occurrence =
            switch invitation.recurrence {
            case .date(let day): day.description
            case .instant(let time): String(time.seconds)
            case .local(let local, zone: _): "local \(local.secondsSinceEpoch)"
            case nil: ""
            }
        return [
            "answer", account.id.rawValue, attendee.comparable, invitation.uid, String(invitation.sequence),
            occurrence,
        ]
    }

    /// The last answer that is sent or in the outbox. An answer to a version of another time does not count.
    private func earlier(
        _ past: [(token: MessageID, trace: MailTraces.Trace)], _ invitation: Invitation, _ account: Account
    ) async throws -> Earlier? {
        for (token, trace) in past.reversed() {
            switch trace {
            case .draft, .discarded: continue
            case .sending(let draft):
                return Earlier(answer: Self.reply(in: draft.content)?.answer, sentAt: nil, messageID: token)
            case .sent(let time):
                let reply = Self.reply(in: try await sentBytes(token, account))
                let isOfAnotherTime =
                    reply?.isAtAnotherTime(than: invitation, timeZone: workspace.timeZone) ?? false
                guard !isOfAnotherTime else { continue }
                let run = try store.runs.appended(token, account: account.id)?.run
                return Earlier(answer: reply?.answer, sentAt: time, messageID: token, run: run)
            }
        }
        return nil
    }

    /// The last answer of the attendee from another account, to which the invitation came too.
    private func earlierElsewhere(
        _ invitation: Invitation, _ attendee: EmailAddress, _ stored: StoredMessage
    ) async throws -> Earlier? {
        var last: Earlier?
        for account in workspace.accounts where account.id != stored.account {
            let past = try traces.traces(
                of: Self.purpose(invitation, attendee, account), account.id, domain: account.address.domain
            ).past
            // An account that cannot be reached does not hold up the answer.
            last = Self.later(last, (try? await earlier(past, invitation, account)) ?? nil)
            last = Self.later(
                last,
                try await elsewhere.last(
                    invitation, attendee, stored, account, besides: Set(past.map(\.token))))
        }
        return last
    }

    /// The last of two answers; one that opus cannot read only if there is no other.
    private static func later(_ own: Earlier?, _ other: Earlier?) -> Earlier? {
        guard let own, let other else { return own ?? other }
        guard other.answer != nil, let sent = own.sentAt, let later = other.sentAt else { return own }
        if later == sent, let first = own.run, let second = other.run {
            return second.rawValue > first.rawValue ? other : own
        }
        return later > sent ? other : own
    }

    private static func reply(in mail: [UInt8]) -> Invitation? {
        MIMEParser.parse(mail).calendar(limit: mostCalendar).flatMap { try? Invitation.read($0) }
    }

    /// The journal has the bytes of mail that opus sent.
    private func sentBytes(_ token: MessageID, _ account: Account) async throws -> [UInt8] {
        if let (_, step) = try store.runs.appended(token, account: account.id),
            case .append(to: _, let message, flags: _, token: _) = step.kind
        {
            return message
        }
        guard let message = try traces.sentMessage(token, account.id) else { return [] }
        return try await originals.bytes(ofTyped: message.rawValue)
    }

    /// The draft of the answer. It replaces the unsent draft of an earlier answer; an answer in the outbox must be
    /// discarded first.
    private func draft(
        _ new: OpenDraft, after past: [(token: MessageID, trace: MailTraces.Trace)], next: MessageID
    ) throws -> OpenDraft {
        var draft = new
        draft.stored.messageID = next
        switch past.last?.trace {
        case .sending(let stored): try drafts.refuseWhileSending(stored)
        case .draft(var stored):
            stored.answers = new.stored.answers
            draft.stored = stored
        case .sent, .discarded, nil: break
        }
        draft.builder.messageID = draft.stored.messageID
        return draft
    }

    // MARK: The mail

    private func draft(
        _ invitation: Invitation, _ organizer: EmailAddress, _ attendee: EmailAddress,
        _ answer: InvitationAnswer, _ note: String, _ account: Account, _ stored: StoredMessage,
        _ message: ParsedMessage
    ) throws -> OpenDraft {
        let reply = InvitationReply(
            to: invitation, organizer: organizer, from: attendee, answer, note: note, now: clock.now)
        guard let calendar = reply.text() else {
            throw Problem("bad-invitation", exit: .badData, message: "the answer could not be written")
        }
        let summary = invitation.summary.isEmpty ? stored.subject : invitation.summary
        let messageID = drafts.newMessageID(account)
        var builder = MessageBuilder(
            from: attendee, to: [organizer], subject: HeaderText.clean("\(answer.heading): \(summary)"),
            text: "\(attendee.name) \(answer.sentence): \(summary)\n" + (note.isEmpty ? "" : "\n\(note)\n"),
            date: clock.now, messageID: messageID)
        builder.calendar = MessageBuilder.Calendar(method: "REPLY", text: calendar)
        if let id = message.envelope.messageID {
            builder.inReplyTo = id
            builder.references = message.envelope.references + [id]
        }
        var saved = StoredDraft(account: account.id, messageID: messageID, savedAt: clock.now, content: [])
        saved.answers = stored.id
        return OpenDraft(stored: saved, builder: builder, account: account)
    }
}

extension InvitationAnswer {
    /// The prefix of the subject, as in calendar programs.
    fileprivate var heading: String {
        switch self {
        case .yes: "Accepted"
        case .no: "Declined"
        case .maybe: "Tentative"
        }
    }

    fileprivate var sentence: String {
        switch self {
        case .yes: "has accepted the invitation"
        case .no: "has declined the invitation"
        case .maybe: "has tentatively accepted the invitation"
        }
    }
}
