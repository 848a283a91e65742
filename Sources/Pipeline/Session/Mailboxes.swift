import Accounts
import IMAPProtocol
import MailStore
import MaildirClient
import Models
import Planner

/// The mailbox for each role of an account, even if it does not exist yet.
extension AccountAccess {
    func stepContext(_ account: Account) throws -> StepContext {
        let known = try store.sync.mailboxes(of: account.id)
        let inbox =
            known.first { $0.role == .inbox }
            ?? Mailbox(account: account.id, name: .inbox, displayName: "INBOX", role: .inbox)
        let naming = NewMailboxes(account: account, known: known)
        var roles: [MailboxRole: Mailbox] = [:]
        for role in MailboxRole.allCases where role != .inbox {
            roles[role] =
                existing(role, of: account, among: known)
                ?? naming.mailbox(for: role, named: roleName(role, of: account))
        }
        return StepContext(
            account: account.id, inbox: inbox, mailboxes: roles, now: clock.now, timeZone: workspace.timeZone)
    }

    /// The context of a decision of the user, which is later than the decisions whose steps still wait.
    func decisionContext(_ account: Account) throws -> StepContext {
        var context = try stepContext(account)
        context.expect(try store.journal.openSteps(of: account.id))
        return context
    }

    /// If the user configured a mailbox for the role, it is created instead of using another one.
    func existing(_ role: MailboxRole, of account: Account, among all: [Mailbox]) -> Mailbox? {
        var known = all
        if role == .sent {
            // A mailbox of an identity holds sent mail, too. It is the account's only if it has its usual name.
            let usual = [roleName(.sent, of: account)] + SpecialUse.sent.wellKnownNames
            known.removeAll { $0.isNamed(account.identitySentMailboxes) && !$0.isNamed(usual) }
        }
        if let name = account.folders[role] {
            return known.first { $0.role == role && (role != .drafts || $0.isNamed([name])) }
        }
        return StepContext.mailbox(for: role, among: known)
    }

    /// The roles without a mailbox: one is created when it is first needed.
    func missingRoles(of account: Account, among known: [Mailbox]) -> Set<MailboxRole> {
        Set(MailboxRole.allCases.filter { $0 != .inbox && existing($0, of: account, among: known) == nil })
    }

    /// Throws if the plan moves mail to a mailbox that would have to be made, and the account does not let opus make one.
    ///
    /// - Throws: ``Problem`` `not-allowed`.
    func requireMailboxes(of plan: Plan, _ account: Account, among known: [Mailbox]) throws {
        let missing = missingRoles(of: account, among: known)
        let makesOne = plan.items.flatMap(\.decisions).contains { decision in
            guard case .place(let place) = decision.action, let role = place.role else { return false }
            return missing.contains(role)
        }
        if makesOne { try account.require(.create) }
    }

    /// The name of the mailbox with that role, or of the one that will be created.
    func roleName(_ role: MailboxRole, of account: Account) -> String {
        if let name = account.folders[role] { return name }
        return role.rawValue.prefix(1).uppercased() + role.rawValue.dropFirst()
    }

    /// The mailboxes in which opus works: the one for deferred mail, and those for orders. They are always read whole.
    func needed(by account: Account, among known: [Mailbox]) -> Set<MailboxName> {
        let orders = (workspace.commandMailboxes?.entries(people: workspace.people) ?? []).compactMap {
            mailbox(ofOrder: $0, account, among: known).there
        }
        return Set((orders + [existing(.deferred, of: account, among: known)].compactMap(\.self)).map(\.name))
    }

    /// The mailbox of an order as opus would make it, and the one that the account has; nil: it has none.
    func mailbox(
        ofOrder entry: CommandMailboxes.Entry, _ account: Account, among known: [Mailbox]
    ) -> (wanted: Mailbox, there: Mailbox?) {
        let levels = [workspace.commandMailboxes?.below ?? "", entry.name]
        let naming = NewMailboxes(account: account, known: known)
        let wanted = naming.mailbox(spelled: levels.joined(separator: naming.delimiter ?? "/"), role: nil)
        let plain = levels.joined(separator: "/")
        return (wanted, known.first { $0.name == wanted.name || $0.plainName == plain })
    }

    /// A new mailbox below another one.
    func mailboxToBeMade(_ levels: [String], of account: Account) throws -> Mailbox {
        let known = try store.sync.mailboxes(of: account.id)
        let naming = NewMailboxes(account: account, known: known)
        return naming.mailbox(spelled: levels.joined(separator: naming.delimiter ?? "/"), role: nil)
    }
}

/// The names of new mailboxes in an account.
struct NewMailboxes: Sendable {
    let account: Account
    /// The existing mailboxes.
    let known: [Mailbox]

    var delimiter: String? {
        known.first { $0.role == .inbox }?.delimiter ?? known.lazy.compactMap(\.delimiter).first
    }

    /// The mailbox that the user named, with `/` between the levels or in the server's form; nil: the account
    /// does not support such a name.
    func mailbox(named name: String) -> Mailbox? {
        guard NewMailboxName.problem(with: name) == nil else { return nil }
        switch account.source {
        case .maildir(let root):
            return Maildir(root: root, account: account.id).mailbox(displayName: name)
        case .imap:
            let levels = name.split(separator: "/").map(String.init)
            guard let delimiter = known.isEmpty ? "/" : delimiter else {
                return levels.count == 1 ? mailbox(spelled: name, role: nil) : nil
            }
            return mailbox(spelled: levels.joined(separator: delimiter), role: nil)
        }
    }

    /// The same, but throws if the account does not support the name.
    ///
    /// - Throws: ``Problem`` `bad-mailbox`.
    func require(_ name: String) throws -> Mailbox {
        let bad = { (reason: String) in
            Problem(
                "bad-mailbox", exit: .usage,
                message: "\"\(name)\" cannot be the name of a mailbox: \(reason)",
                next: ["Projects/Acme: levels, with / between them"])
        }
        if let problem = NewMailboxName.problem(with: name) { throw bad(problem) }
        guard let mailbox = mailbox(named: name) else {
            throw bad("account \(account.id) cannot have a mailbox of that name")
        }
        return mailbox
    }

    /// Where the server keeps the mailboxes of the user.
    /// The mailbox for a role, with `/` between the levels or in the server's form.
    func mailbox(for role: MailboxRole, named name: String) -> Mailbox {
        guard case .imap = account.source, let delimiter else { return mailbox(spelled: name, role: role) }
        let levels = name.split(separator: "/", omittingEmptySubsequences: false)
        return mailbox(spelled: levels.joined(separator: delimiter), role: role)
    }

    func mailbox(spelled wanted: String, role: MailboxRole?) -> Mailbox {
        let start = prefix ?? ""
        let name = wanted.hasPrefix(start) ? wanted : start + wanted
        return Mailbox(
            account: account.id, name: exactName(name), displayName: name, delimiter: delimiter, role: role,
            personalPrefix: personalPrefix)
    }

    private var personalPrefix: String? { known.lazy.compactMap(\.personalPrefix).first }

    /// What the server told, or `INBOX.` if it keeps all mailboxes there (Courier, old Cyrus).
    private var prefix: String? {
        if let personalPrefix { return personalPrefix }
        guard let delimiter else { return nil }
        let inbox = "INBOX" + delimiter
        return !own.isEmpty && own.allSatisfy { $0.displayName.hasPrefix(inbox) } ? inbox : nil
    }

    /// Mailboxes that show how the server names those of the user. Shared mailboxes and those of other users are elsewhere,
    /// and have no role, so if some have a role, only these count.
    private var own: [Mailbox] {
        let others = known.filter { $0.role != .inbox }
        let withRole = others.filter { $0.role != nil && $0.role != .deferred }
        return withRole.isEmpty ? others : withRole
    }

    /// The name in the account's encoding: modified UTF-7; in a Maildir, with dots between the levels.
    private func exactName(_ name: String) -> MailboxName {
        switch account.source {
        case .imap: MailboxName(bytes: ModifiedUTF7.encode(name))
        case .maildir(let root):
            Maildir(root: root, account: account.id).mailbox(displayName: name)?.name
                ?? MailboxName(name)
        }
    }
}
