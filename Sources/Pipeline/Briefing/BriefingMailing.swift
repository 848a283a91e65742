import Accounts
import Crypto
import MIMEParser
import MailStore
import Models
import Planner

/// Puts a briefing into the user's own inbox, through the journal. No mail server sends it.
public struct BriefingMailing: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let syncing: AccountSyncing
    let runner: JournalRunner
    let zone: ZoneClock

    /// Makes one message per account and day: the key of the step includes both, so a second run, or a run
    /// after a crash, makes no second message.
    ///
    /// - Parameters:
    ///   - briefing: Not empty.
    ///   - name: The account; nil: the first one.
    /// - Returns: The run; nothing was queued if the briefing is already there.
    /// - Throws: ``Problem`` if the account does not exist, or the store fails.
    public func deliver(_ briefing: Briefing, account name: String?) async throws -> RunReport {
        let account = try account(named: name)
        let inbox = try accounts.stepContext(account).mailbox(for: .inbox)
        let token = Self.messageID(of: briefing.day, account)
        // The briefing was queued before: only steps left over from a crash are executed.
        guard try await !isMailed(token, account) else { return try await runner.deliver(account.id) }
        let step = Step.byHand(
            Briefings.command, briefing.day.description, account, message: nil,
            .append(to: inbox, message: try message(briefing, account, token), flags: [], token: token))
        return try await runner.carryOut(
            QueuedWork(steps: [step]), account: account, command: Briefings.command)
    }

    /// Another machine may have mailed the briefing since the last sync, or this one before its store was lost, so the
    /// account is synced first. If it cannot be reached, the last sync decides.
    private func isMailed(_ token: MessageID, _ account: Account) async throws -> Bool {
        guard try !store.runs.hasAppended(token), try !isThere(token, account) else { return true }
        do {
            _ = try await syncing.account(account.id)
        } catch let problem as Problem {
            guard try store.sync.lastSync(of: account.id) != nil else { throw problem }
        }
        return try isThere(token, account)
    }

    /// Whether another machine, or this one before its store was lost, made the message. After an undo it is in the trash.
    private func isThere(_ token: MessageID, _ account: Account) throws -> Bool {
        try store.messages.messages(with: token, account: account.id).contains { message in
            try store.messages.places(of: message).contains {
                !$0.isMissing && $0.mailbox.role != .trash && $0.mailbox.role != .junk
            }
        }
    }

    private func account(named name: String?) throws -> Account {
        guard let id = try accounts.ids(named: name).first else {
            throw Problem("no-account", exit: .configuration, message: "the workspace has no account")
        }
        return try accounts.require(id)
    }

    private static func messageID(of day: CalendarDate, _ account: Account) -> MessageID {
        let hash = Hex.encode(SHA256.hash(Array("\(account.id.rawValue) \(account.address.addrSpec)".utf8)))
        return MessageID("briefing-\(day)-\(hash.prefix(16))@opus.invalid")
    }

    private func message(_ briefing: Briefing, _ account: Account, _ token: MessageID) throws -> [UInt8] {
        let me = EmailAddress(
            displayName: workspace.name, localPart: account.address.localPart,
            domain: account.address.domain)
        var builder = MessageBuilder(
            from: me, to: [me], subject: BriefingDays(zone: zone).title(briefing.day),
            text: briefing.text(zone), date: briefing.now, messageID: token)
        builder.zoneOffsetSeconds = zone.offset(at: briefing.now)
        builder.autoSubmitted = .generated
        builder.isFlowed = false
        builder.html = briefing.html(zone)
        return try builder.build()
    }
}
