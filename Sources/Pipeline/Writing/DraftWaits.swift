import Accounts
import MIMEParser
import MailStore
import Models
import Planner
import Rules

/// The wait that starts when a mail is sent: `--wait 3bd`, or a line `Wait: 3bd` in the draft.
///
/// Until then it is in a header field of the draft, which is never sent; there is no task yet.
struct DraftWaits: Sendable {
    let workspace: Workspace
    let store: Store
    let clock: SessionClock

    /// The maximum length of a date phrase, in characters.
    private static let longest = 60

    static func phrase(in content: [UInt8]) -> String? {
        clean(MIMEParser.parse(content).header(MessageBuilder.waitField).first)
    }

    /// One short line; nil: there is none.
    static func clean(_ typed: String?) -> String? {
        guard let typed else { return nil }
        let words = HarmlessText.line(typed).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.isEmpty ? nil : String(words.prefix(longest))
    }

    /// When to ask again. `time`: the time of sending; nil: now.
    func date(_ phrase: String, at time: Timestamp? = nil) throws -> TodoDate {
        let now = time ?? clock.now
        guard
            let date = DatePhrase.resolve(
                phrase, now: now, timeZone: workspace.timeZone, dayFirst: workspace.dayFirst,
                workdayEnd: workspace.workday.end, businessDays: workspace.workday.days)
        else {
            throw Problem(
                "bad-date", exit: .usage, message: "\"\(phrase)\" is not a date",
                next: ["3bd, friday, +2 weeks, 2026-04-03 (opus help dates)"])
        }
        let end = DatePhrase.instant(of: date, timeZone: workspace.timeZone, secondOfDay: 86_399)
        guard let end, end > now else {
            throw Problem(
                "past-date", exit: .usage, message: "\"\(phrase)\" is over",
                next: ["3bd, friday, +2 weeks"])
        }
        return date
    }

    /// The people whose answers a draft waits for: all in To, otherwise in Cc, otherwise in Bcc, without the
    /// user.
    func people(_ envelope: Envelope, _ account: Account) -> [EmailAddress] {
        let own = workspace.own(with: account)
        let groups = [envelope.to, envelope.cc, envelope.bcc].map { group in
            group.filter { !own.contains($0) }
        }
        return groups.first { !$0.isEmpty } ?? []
    }

    /// Throws the reason if the wait of a draft cannot start.
    func check(_ draft: StoredDraft, name: String, _ account: Account) throws {
        guard let phrase = Self.phrase(in: draft.content) else { return }
        _ = try date(phrase)
        guard people(HeaderBlock.envelope(of: draft.content), account).isEmpty else { return }
        throw Problem(
            "no-person", exit: .badData,
            message: "draft \(name) asks for an answer, but you are its only recipient",
            next: ["opus drafts edit \(name) and remove the line Wait:"])
    }

    /// The task of a sent mail; nil: no wait. A date that has become invalid since is left out, because the
    /// wait itself matters more.
    func task(
        of draft: StoredDraft, _ account: Account, _ context: StepContext, sentAt: Timestamp? = nil
    ) throws -> (todo: Todo, link: QueuedWork.Link?)? {
        guard let phrase = Self.phrase(in: draft.content) else { return nil }
        let envelope = HeaderBlock.envelope(of: draft.content)
        let people = people(envelope, account)
        guard let first = people.first else { return nil }
        var waiting = Waiting(on: first)
        if people.count > 1 { waiting.others = Array(people.dropFirst()) }
        let sent = try sentAt ?? store.runs.departure(of: draft.messageID, account: account.id)
        waiting.followUp = try? date(phrase, at: sent)
        let todo = Planning.wait(
            waiting, forAnswerTo: draft.messageID, subject: envelope.subject, context: context)
        guard let message = try store.messages.message(with: draft.messageID, account: account.id),
            let thread = try store.messages.detail(of: message)?.thread
        else { return (todo, nil) }
        return (
            todo, QueuedWork.Link(todo: todo.id, message: message, thread: thread, rule: Planning.waitByHand)
        )
    }
}
