import Accounts
import MIMEParser
import MailStore
import Models
import TodoCalendar

/// Answers to an invitation that the user sent with another mail program.
struct EarlierAnswers: Sendable {
    let store: Store
    let originals: OriginalReader
    let replies: SentReplies

    /// At most this many mails are read.
    private static let most = 10
    static let mostCalendar = 1 << 20

    /// The last answer of the attendee to this version of the invitation; if there is none, the last reply without an
    /// answer for calendar programs. `besides`: mail that opus wrote.
    func last(
        _ invitation: Invitation, _ attendee: EmailAddress, _ message: StoredMessage, _ account: Account,
        besides known: Set<MessageID>
    ) async throws -> InvitationAnswering.Earlier? {
        let written = try message.messageID.map {
            try replies.replies(to: [$0], in: [message.thread], account, besides: known)
        }
        let readers = Set((message.from + [invitation.organizer].compactMap(\.self)).map(\.comparable))
        let toOrganizer = Set(
            try (written ?? []).filter { try isReply($0, to: message, readBy: readers) }.map(\.id))
        let answering = try store.messages.messages(aboutEvent: invitation.uid, account: account.id)
            .filter { $0.event.method == .reply }.map(\.message)
        let details = try Set((written ?? []).map(\.id) + answering).compactMap {
            try store.messages.detail(of: $0)
        }
        .filter { detail in
            replies.isSent(detail, account) && detail.id != message.id
                && !(detail.messageID.map(known.contains) ?? false)
        }
        .sorted { Self.time($0) > Self.time($1) }
        var plain: InvitationAnswering.Earlier?
        for detail in details.prefix(Self.most) {
            let name = detail.messageID ?? MessageID(detail.id.rawValue)
            let earlier = InvitationAnswering.Earlier(
                answer: nil, sentAt: Self.time(detail), messageID: name, isByOpus: false)
            // If the account cannot be reached, the reply still counts as one.
            let bytes = (try? await originals.bytes(ofTyped: detail.id.rawValue)) ?? []
            guard let calendar = MIMEParser.parse(bytes).calendar(limit: Self.mostCalendar),
                let reply = try? Invitation.read(calendar)
            else {
                if plain == nil, toOrganizer.contains(detail.id) { plain = earlier }
                continue
            }
            guard reply.uid == invitation.uid, reply.sequence >= invitation.sequence,
                reply.recurrence == invitation.recurrence,
                !reply.isAtAnotherTime(than: invitation, timeZone: replies.workspace.timeZone),
                let answer = reply.answer,
                reply.attendees.isEmpty || reply.attendees.contains(where: OwnAddressSet([attendee]).contains)
            else { continue }
            return .init(answer: answer, sentAt: Self.time(detail), messageID: name, isByOpus: false)
        }
        return plain
    }

    /// Whether the user wrote the mail to one of the readers about the invitation. A forward, a mail to another attendee, an
    /// absence notice or a receipt answers nothing.
    private func isReply(
        _ mail: MessageFacts, to invitation: StoredMessage, readBy readers: Set<String>
    ) throws -> Bool {
        guard (mail.to + mail.cc).contains(where: { readers.contains($0.comparable) }),
            let name = invitation.messageID, let header = try store.messages.detail(of: mail.id)?.headerBlock,
            HeaderBlock.envelope(of: header).inReplyTo.contains(name)
        else { return false }
        let zone = ZoneClock(zone: replies.workspace.timeZone)
        return try replies.loader.answerKind(of: mail, zone).isHuman
    }

    private static func time(_ message: StoredMessage) -> Timestamp { message.sent ?? message.received }
}
