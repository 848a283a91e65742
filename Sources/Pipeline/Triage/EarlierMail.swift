import Accounts
import MIMEParser
import MailStore
import Models
import Planner
import Rules

/// Leaves out of a plan the mail that a rule already wrote: on another machine, before the store was lost, or about another
/// copy of the same message.
///
/// The copy in Sent or the draft is the proof. Anyone can write a mail with the Message-ID of that mail, so other mailboxes do
/// not count.
struct EarlierMail: Sendable {
    let store: Store
    let loader: FactLoader
    /// Those of the workspace.
    let accounts: [Account]

    /// A delegation still makes its task, unless another account has the same message. Warnings name what is left out; the
    /// rules are remembered as if they had written it. `allowance` says what earlier plans of the command write.
    func leaveOut(
        of plan: inout Plan, _ account: Account, sending allowance: inout SendAllowance
    ) throws {
        let writing = plan.decided.filter { plan.items[$0].decisions.contains { $0.action.writesMail } }
        guard !writing.isEmpty else { return }
        let names = try PlanNames(store: store).names(in: plan)
        let identity = MailIdentity(account: account, names: names)
        let answers = try RecentAnswers(store: store, accounts: accounts, plan: plan)
        let elsewhere = CopiesElsewhere(
            store: store, loader: loader, written: allowance.written,
            identities: accounts.filter { $0.id != account.id }.map {
                MailIdentity(account: $0, names: names)
            })
        let writers = writers(in: plan, identity)
        for index in writing {
            var item = plan.items[index]
            item.decisions = []
            for var decision in plan.items[index].decisions {
                guard case .make(let make) = decision.action else {
                    item.decisions.append(decision)
                    continue
                }
                if case .vacation(let reply) = make {
                    guard !answers.reached(reply), !allowance.toldAway.contains(reply.to.comparable) else {
                        item.shadowed.append(decision)
                        continue
                    }
                }
                let mail = identity.messageID(make, item)
                let isWritten = try leaveOut(
                    &decision, of: &item, mail: mail,
                    isOnlyCopy: mail.flatMap { writers[$0] } ?? index == index,
                    elsewhere, account)
                if !isWritten { item.decisions.append(decision) }
            }
            plan.items[index] = item
        }
        note(plan, identity, in: &allowance)
    }

    /// The item that writes each letter: of several copies of a message, one that sends it.
    private func writers(in plan: Plan, _ identity: MailIdentity) -> [MessageID: Int] {
        var writers: [MessageID: (item: Int, sends: Bool)] = [:]
        for index in plan.decided {
            for case .make(.letter(let letter)) in plan.items[index].decisions.map(\.action) {
                let mail = identity.messageID(letter, plan.items[index])
                let sends = letter.sending == .now
                if let known = writers[mail], known.sends || !sends { continue }
                writers[mail] = (index, sends)
            }
        }
        return writers.mapValues(\.item)
    }

    /// Notes what the plan writes, for later plans of the command.
    private func note(_ plan: Plan, _ identity: MailIdentity, in allowance: inout SendAllowance) {
        for item in plan.items {
            for decision in item.decisions {
                guard case .make(let make) = decision.action else { continue }
                if let mail = identity.messageID(make, item) { allowance.written.insert(mail) }
                if case .vacation(let reply) = make { allowance.toldAway.insert(reply.to.comparable) }
            }
        }
    }

    /// Whether nothing is left to be done for the decision.
    private func leaveOut(
        _ decision: inout Plan.Decision, of item: inout Plan.Item, mail: MessageID?, isOnlyCopy: Bool,
        _ elsewhere: CopiesElsewhere, _ account: Account
    ) throws -> Bool {
        guard case .make(let make) = decision.action, let mail else { return false }
        if let place = try place(of: mail, account.id) {
            item.warnings.append(
                "rule \(decision.rule): the mail is already in \(place == .sent ? "Sent" : "Drafts"), so it is not written again"
            )
            if case .delegate(var delegation) = make {
                delegation.sending = place == .sent ? .now : .draft
                delegation.isWritten = true
                decision.action = .delegate(delegation)
                return false
            }
        } else if let other = try elsewhere.writer(of: make, item) {
            item.warnings.append(
                "rule \(decision.rule): the same message came to account \(other.rawValue), which writes the mail"
            )
        } else if !isOnlyCopy {
            item.warnings.append(
                "rule \(decision.rule): another copy of the message causes the same mail, so it is written once"
            )
        } else {
            return false
        }
        item.warnings.removeDraftWarning(of: decision.rule)
        item.shadowed.append(decision)
        return true
    }

    /// Sent or Drafts, if the mail is there.
    private func place(of mail: MessageID, _ account: AccountID) throws -> MailboxRole? {
        let roles = try store.roles(of: mail, account)
        return [.sent, .drafts].first(where: roles.contains)
    }
}

/// When another machine, or opus before its store was lost, answered people that the user is away.
private struct RecentAnswers {
    /// The time of the last answer, by the address of the person.
    private var times: [String: Timestamp] = [:]
    private let now: Timestamp

    init(store: Store, accounts: [Account], plan: Plan) throws {
        now = plan.now
        let wanted = plan.items.flatMap(\.decisions).compactMap { decision -> AutoReply? in
            if case .make(.vacation(let reply)) = decision.action { reply } else { nil }
        }
        guard let days = wanted.map(\.days).max() else { return }
        let since = now - Int64(days) * 86_400
        let people = Set(wanted.map(\.to.comparable))
        for account in accounts {
            for mail in try store.messages.mailInSent(since: since, account: account.id) {
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
    }

    func reached(_ reply: AutoReply) -> Bool {
        guard let time = times[reply.to.comparable] else { return false }
        return AutoReply.isRecent(time, days: reply.days, now: now)
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
