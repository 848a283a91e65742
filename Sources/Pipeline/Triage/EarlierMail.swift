import Accounts
import MIMEParser
import MailStore
import Models
import Planner

/// Leaves out of a plan the mail that a rule already wrote: on another machine, or before the store was lost.
///
/// The copy in Sent or the draft is the proof. Anyone can write a mail with the Message-ID of that mail, so other mailboxes do
/// not count.
struct EarlierMail: Sendable {
    let store: Store

    /// A delegation still makes its task. Warnings name what is left out; the rules are remembered as if they had written it.
    func leaveOut(of plan: inout Plan, _ account: Account) throws {
        let writing = plan.decided.filter { plan.items[$0].decisions.contains { $0.action.writesMail } }
        guard !writing.isEmpty else { return }
        let identity = MailIdentity(account: account, names: try PlanNames(store: store).names(in: plan))
        let answers = try RecentAnswers(store: store, account: account, plan: plan)
        for index in writing {
            var item = plan.items[index]
            item.decisions = []
            for var decision in plan.items[index].decisions {
                if case .make(.vacation(let reply)) = decision.action, answers.reached(reply) { continue }
                guard case .make(let make) = decision.action,
                    let place = try identity.messageID(make, item).flatMap({
                        try self.place(of: $0, account.id)
                    })
                else {
                    item.decisions.append(decision)
                    continue
                }
                item.warnings.append(
                    "rule \(decision.rule): the mail is already in \(place == .sent ? "Sent" : "Drafts"), so it is not written again"
                )
                if case .delegate(var delegation) = make {
                    delegation.sending = place == .sent ? .now : .draft
                    delegation.isWritten = true
                    decision.action = .delegate(delegation)
                    item.decisions.append(decision)
                } else {
                    item.shadowed.append(decision)
                }
            }
            plan.items[index] = item
        }
    }

    /// Sent or Drafts, if the mail is there.
    private func place(of mail: MessageID, _ account: AccountID) throws -> MailboxRole? {
        let places = try store.messages.messages(with: mail, account: account).flatMap {
            try store.messages.places(of: $0)
        }
        let roles = Set(places.filter { !$0.isMissing }.compactMap(\.mailbox.role))
        return [.sent, .drafts].first(where: roles.contains)
    }
}

/// To whom another machine, or opus before its store was lost, answered that the user is away.
private struct RecentAnswers {
    /// The time of the last answer, by the address of the person.
    private var times: [String: Timestamp] = [:]
    private let now: Timestamp

    init(store: Store, account: Account, plan: Plan) throws {
        now = plan.now
        let wanted = plan.items.flatMap(\.decisions).compactMap { decision -> AutoReply? in
            if case .make(.vacation(let reply)) = decision.action { reply } else { nil }
        }
        guard let days = wanted.map(\.days).max() else { return }
        let people = Set(wanted.map(\.to.comparable))
        for mail in try store.messages.mailInSent(since: now - Int64(days) * 86_400, account: account.id) {
            let reached = mail.to.map(\.comparable).filter(people.contains)
            // What this store sent is remembered for each rule.
            guard !reached.isEmpty, mail.saysAway,
                try store.runs.departure(of: mail.messageID, account: account.id) == nil
            else { continue }
            for person in reached {
                times[person] = max(times[person] ?? mail.sent, mail.sent)
            }
        }
    }

    func reached(_ reply: AutoReply) -> Bool {
        guard let time = times[reply.to.comparable] else { return false }
        return now - time < Int64(reply.days) * 86_400
    }
}

extension MailInSent {
    /// Whether it is such an answer of opus, as ``AutoAnswering`` writes it.
    fileprivate var saysAway: Bool {
        let mail = MIMEParser.parse(headerBlock)
        return !mail.header(MessageBuilder.loopField).isEmpty && mail.header("Precedence") == ["bulk"]
            && mail.header("Auto-Submitted").first?.hasPrefix("auto-replied") == true
    }
}

extension Action {
    fileprivate var writesMail: Bool {
        if case .make(let make) = self { make.mail != nil } else { false }
    }
}
