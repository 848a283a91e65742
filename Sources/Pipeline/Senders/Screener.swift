import Accounts
import Executor
import MIMEParser
import MailStore
public import Models
import Planner
import Rules

/// Holds mail of first-time senders in a separate mailbox until the user decides about them; mail of denied
/// senders goes to the trash.
///
/// The content of a message never approves its sender. Only the user, mail that the user sent, and files of
/// the workspace do.
public struct Screener: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let lists: SenderLists
    let held: HeldMail
    let store: Store
    let loader: FactLoader
    let lookup: MessageLookup
    let tasks: Tasks
    let runner: JournalRunner
    let whole: WholeRun
    let clock: SessionClock

    /// The verb in the journal for moves without a decision of the user.
    static let verb = "screener"
    /// The name under which the store remembers mail that was let through: it stays in the inbox even if its sender is no
    /// longer known, or is denied later. It cannot be the id of a rule.
    private static let mark = "screener:"

    // MARK: New mail

    /// For one account that was just synced: moves new mail of unknown senders to the screener, and of denied
    /// senders to the trash.
    func hold(_ id: AccountID) async throws -> Screened? {
        // Mail that comes while the screener is off counts as mail from before it.
        defer { if workspace.screener == nil { try? store.senders.beginLater(id) } }
        guard workspace.screener != nil || workspace.commandMailboxes != nil else { return nil }
        let account = try accounts.require(id)
        guard account.permissions.allows(.move) else { return nil }
        if try store.senders.hasBegun(id) {
            try store.senders.noteOthersLetThrough(as: Self.mark, account: id)
        }
        let (judged, passed) = try judged(account)
        try store.senders.noteLetThrough(passed, as: Self.mark, account: id)
        guard !judged.isEmpty else {
            _ = try store.senders.begin(id)
            return nil
        }
        let context = try self.context(of: account)
        let steps = HandSteps(verb: Self.verb, context: context)
        var work = QueuedWork()
        for (message, fate) in judged {
            switch fate {
            case .trash:
                work.steps.append(steps.move(message.id, message.key, to: context.mailbox(for: .trash)))
            case .wait(let mailbox): work.steps.append(steps.move(message.id, message.key, to: mailbox))
            }
        }
        let report = try await runner.carryOut(work, account: account, command: Self.verb)
        _ = try store.senders.begin(id)
        let moved = Set(report.drain.confirmed.compactMap(\.message))
        return Screened(
            report: report, mails: try mails(judged.filter { moved.contains($0.message.id) }))
    }

    /// The preview of ``hold(_:)``; nil: it would do nothing. Changes nothing.
    func preview(_ id: AccountID) throws -> ScreenerPreview? {
        guard workspace.screener != nil || workspace.commandMailboxes != nil else { return nil }
        let judged = try judged(try accounts.require(id)).moved
        return judged.isEmpty ? nil : ScreenerPreview(account: id, mails: try mails(judged))
    }

    private func mails(_ judged: [(message: MessageFacts, fate: Fate)]) throws -> [ScreenedMail] {
        let short = try store.messages.shortPrefix(of: judged.map(\.message.id))
        return judged.map { message, fate in
            ScreenedMail(
                mail: ReturnedMail(
                    id: message.id, shortID: short[message.id] ?? message.id.rawValue,
                    from: message.from.first?.name ?? "(no sender)",
                    subject: message.subject.isEmpty ? "(no subject)" : message.subject),
                isDenied: fate == .trash)
        }
    }

    /// Where new mail goes that does not stay in the inbox.
    private enum Fate: Equatable {
        /// Its sender was denied.
        case trash
        case wait(Mailbox)
    }

    private typealias Judged = (moved: [(message: MessageFacts, fate: Fate)], passed: [EmailID])

    /// `passed`: the messages that were let through now.
    private func judged(_ account: Account) throws -> Judged {
        let id = account.id
        guard try store.senders.hasBegun(id) else { return (try denied(account), []) }
        let busy = try store.journal.messagesWithOpenSteps(of: id)
        let new = try store.senders.unscreened(account: id).filter { !busy.contains($0) }
        guard !new.isEmpty, try store.accounts.moveAbility(of: id) != .no else { return ([], []) }
        let earlier = try store.rules.rememberedMatches(account: id, of: .ids(new))
        let facts = try loader.facts(.ids(new), needs: []).filter {
            $0.mailbox.role == .inbox && !$0.isMarkedDeleted
        }
        var known = try self.known(account)
        // A denied sender stays denied, whatever mail of theirs was there before.
        let writers = Set(facts.compactMap(\.from.first).filter { !known.denies($0) }.map(\.comparable))
            .subtracting(known.addresses)
        let mailbox = try held.mailbox(of: account)
        for account in workspace.accounts {
            known.addresses.formUnion(
                try store.senders.earlierWriters(
                    among: writers, account: account.id, besides: held.mailbox(of: account)?.name
                ).inMailSpelling)
        }
        let awaited = try peopleAwaited()
        var judged: Judged = ([], [])
        for message in facts {
            guard earlier[message.id]?.contains(Self.mark) != true else { continue }
            let isAwaited = message.from.first.map { awaited.contains($0.mailPerson) } ?? false
            if try isDenied(message, known, awaited) {
                judged.moved.append((message, .trash))
            } else if let mailbox {
                if try !isAwaited && isStrange(message, known, account) {
                    judged.moved.append((message, .wait(mailbox)))
                } else {
                    judged.passed.append(message.id)
                }
            }
        }
        return judged
    }

    /// Mail from before the screener was started stays where it is. Only the store knows when that was: after the store was
    /// lost, mail of denied senders that came after the last change of their list goes to the trash.
    private func denied(_ account: Account) throws -> [(message: MessageFacts, fate: Fate)] {
        guard let changed = lists.changedAt(.denied), try store.accounts.moveAbility(of: account.id) != .no
        else { return [] }
        let known = try self.known(account)
        let busy = try store.journal.messagesWithOpenSteps(of: account.id)
        let awaited = try peopleAwaited()
        return try loader.facts(.role(account.id, .inbox), needs: []).filter { message in
            try message.received > changed && !message.isMarkedDeleted && !busy.contains(message.id)
                && isDenied(message, known, awaited)
        }.map { ($0, .trash) }
    }

    /// Whether the mail of a denied sender goes to the trash. If the user wrote to that sender, answers to this mail do not.
    private func isDenied(
        _ message: MessageFacts, _ known: KnownSenders, _ awaited: Set<String>
    ) throws -> Bool {
        guard let sender = message.from.first, known.denies(sender) else { return false }
        guard known.addresses.contains(sender.mailComparable) else { return true }
        return try !awaited.contains(sender.mailPerson) && !answersSentMail(message)
    }

    /// The people for whom an open task waits: their answer belongs in the inbox. They are not approved.
    private func peopleAwaited() throws -> Set<String> {
        // The folder, because a task may be newer than the last run.
        let files = try (try? tasks.files().files) ?? store.todos.todoFiles()
        let waiting = files.map(\.todo).filter { $0.isOpen && $0.list == .waiting }
        return Set(waiting.flatMap(\.askedPeople).map(\.mailPerson))
    }

    private func context(of account: Account) throws -> StepContext {
        var context = try accounts.stepContext(account)
        context.token = try CommandToken.next(in: store)
        return context
    }

    private func isStrange(
        _ message: MessageFacts, _ known: KnownSenders, _ account: Account
    ) throws -> Bool {
        guard !message.isDeferredList else { return false }
        if let sender = message.from.first, known.knows(sender) || isOwn(sender, account) { return false }
        return try !isExpected(message, account)
    }

    /// Whether it is an answer to a mail of the user, a report about one, or mail of a mailing list in the
    /// user's own domain. Only this message is let through; its sender is not approved, because anyone can
    /// write these fields.
    private func isExpected(_ message: MessageFacts, _ account: Account) throws -> Bool {
        if try answersSentMail(message) { return true }
        let own = try store.threads.ownMail(in: [message.thread], account: account.id)
        if !own.messages.isEmpty, try isReport(message) { return true }
        let domains = Set((workspace.addresses + [account.address]).map(\.domain))
        let isToOwnDomain = (message.to + message.cc).contains {
            domains.contains($0.domain) && !isOwn($0, account)
        }
        guard isToOwnDomain, let stored = try store.messages.detail(of: message.id) else { return false }
        return MIMEParser.parse(stored.headerBlock).header("List-Id").contains { id in
            let name = id.split(separator: "<").last?.prefix { $0 != ">" }.lowercased() ?? ""
            return domains.contains { name.hasSuffix("." + $0) }
        }
    }

    /// Whether it names a mail in Sent as the one that it answers.
    private func answersSentMail(_ message: MessageFacts) throws -> Bool {
        guard let stored = try store.messages.detail(of: message.id) else { return false }
        let header = MIMEParser.parse(stored.headerBlock)
        let ids =
            header.rawHeader("In-Reply-To").flatMap { MessageIDs.inReplyTo($0) }
            + header.rawHeader("References").flatMap { MessageIDs.references($0) }
        return try Set(ids.suffix(Self.mostReferences)).contains { try isSent($0) }
    }

    /// Whether a mail with that Message-ID is in Sent of any account, or is the user's own mail in another mailbox: own mail
    /// did not come through a mail server.
    private func isSent(_ id: MessageID) throws -> Bool {
        try workspace.accounts.contains { account in
            guard let original = try store.messages.message(with: id, account: account.id) else {
                return false
            }
            if try store.messages.places(of: original).contains(where: { $0.mailbox.role == .sent }) {
                return true
            }
            guard let stored = try store.messages.detail(of: original) else { return false }
            let header = MIMEParser.parse(stored.headerBlock)
            return header.rawHeader("Received").isEmpty && stored.from.contains { isOwn($0, account) }
        }
    }

    /// Whether a mail system wrote it: some write reports under other names.
    private func isReport(_ message: MessageFacts) throws -> Bool {
        let writer = message.from.first?.localPart.lowercased()
        if writer == "mailer-daemon" || writer == "postmaster" { return true }
        let zone = ZoneClock(zone: workspace.timeZone)
        if case .bounce = try loader.answerKind(of: message, zone) { return true }
        return false
    }

    private static let mostReferences = 100

    private func isOwn(_ address: EmailAddress, _ account: Account) -> Bool {
        workspace.own(with: account).contains(address)
    }

    /// The people to whom the user wrote from any account, and those in the address book and in the lists. Automatic replies
    /// do not count.
    private func known(_ account: Account) throws -> KnownSenders {
        var known = KnownSenders()
        known.approved = ListEntries(try lists.entries(of: .approved).sorted())
        known.denied = ListEntries(try lists.entries(of: .denied).sorted())
        known.addresses = try store.sync.writtenTo(accounts: workspace.accounts.map(\.id)).inMailSpelling
        known.own = Set((workspace.addresses + [account.address]).map(\.mailComparable))
        if let book = workspace.screener?.addressBook { known.contacts = try people(in: book) }
        known.addresses.formUnion(known.contacts.map(\.comparable))
        return known
    }

    private func people(in book: String) throws -> [EmailAddress] {
        guard let text = Workspace.text(of: book) else {
            throw Problem(
                "no-address-book", exit: .temporary, message: "the address book cannot be read: \(book)",
                place: workspace.configFile, next: ["screener: { address-book: contacts.vcf }"])
        }
        return AddressBook.people(in: text).map(\.withMailDomain)
    }

    /// The other addresses to which replies to the sender would go, each once.
    private static func foreign(_ replyTo: [EmailAddress], to sender: EmailAddress?) -> [EmailAddress] {
        var seen = Set([sender?.comparable].compactMap(\.self))
        return Array(replyTo.filter { seen.insert($0.comparable).inserted }.prefix(mostReplyTo))
    }

    private static let mostReplyTo = 3

    // MARK: Held mail

    /// The senders of held mail, sorted by their newest message. Throws if the screener is off and has left nothing behind.
    public func waiting(account name: String?) throws -> [ScreenedSender] {
        let waiting = try sendersOfHeldMail(account: name)
        guard !waiting.isEmpty || workspace.screener != nil else {
            throw Problem(
                "no-screener", exit: .configuration, message: "the screener is off",
                place: workspace.configFile,
                next: ["screener: on"])
        }
        return waiting
    }

    private func sendersOfHeldMail(account name: String?) throws -> [ScreenedSender] {
        try accounts.ids(named: name).flatMap { try waiting(accounts.require($0)) }
    }

    private func waiting(_ account: Account) throws -> [ScreenedSender] {
        let held = try held.messages(of: account)
        guard !held.isEmpty else { return [] }
        let ids = try store.messages.shortPrefix(of: held.map(\.id))
        let known = try self.known(account)
        let user = EmailAddress(
            displayName: workspace.name, localPart: account.address.localPart, domain: account.address.domain)
        let people = try named(known) + known.addresses.sorted().compactMap { EmailAddress($0) } + [user]
        return Dictionary(grouping: held) { $0.from.first?.mailComparable ?? "" }.values.compactMap {
            messages in
            let sorted = messages.sorted { ($0.received, $0.id) > ($1.received, $1.id) }
            guard let newest = sorted.first else { return nil }
            let address = newest.from.first
            return ScreenedSender(
                account: account.id, address: address, messages: sorted,
                shortID: ids[newest.id] ?? newest.id.rawValue,
                replyTo: Self.foreign(sorted.flatMap(\.replyTo), to: address),
                looksLike: address.flatMap { Lookalike.of($0, among: people) })
        }.sorted { a, b in
            guard let a = a.messages.first, let b = b.messages.first else { return false }
            return (a.received, a.id) > (b.received, b.id)
        }
    }

    /// The people whose names are known: they wrote to the user, the user wrote to them, or the address book has them.
    private func named(_ known: KnownSenders) throws -> [EmailAddress] {
        let own = Set((workspace.addresses + workspace.accounts.map(\.address)).map(\.comparable))
        var people = known.contacts
        for account in workspace.accounts {
            people += try store.senders.names(of: known.addresses, own: own, account: account.id)
        }
        return people
    }

    /// Newest decision first.
    public func history() throws -> [SenderRecord] { try store.senders.history(limit: Self.longestHistory) }

    private static let longestHistory = 200

    /// How many senders the lists of the workspace have: they survive the loss of the store, and the history does not.
    public func listed() throws -> [(list: SenderList, count: Int)] {
        try [SenderList.approved, .denied].map { ($0, try lists.entries(of: $0).count) }.filter {
            $0.count > 0
        }
    }

    // MARK: Decisions

    /// Executes one decision about several senders as one run. A sender who cannot be in a list is refused if the user
    /// named it, and left out if the decision is about all.
    public func decide(
        _ decision: SenderDecision, _ selection: SenderSelection, account name: String?
    ) async throws -> DecidedSenders {
        let waiting = try sendersOfHeldMail(account: name)
        var chosen = try self.chosen(selection, among: waiting, account: name)
        var leftOut: [ScreenedSender] = []
        if case .all = selection {
            leftOut = chosen.filter { !decision.accepts($0) }
            chosen.removeAll { !decision.accepts($0) }
        }
        whole.begin()
        defer { whole.end() }
        var reports: [RunReport] = []
        for (id, senders) in Dictionary(grouping: chosen, by: \.account).sorted(by: { $0.key < $1.key }) {
            let account = try accounts.require(id)
            let context = try self.context(of: account)
            let steps = HandSteps(verb: decision.verb, context: context)
            var work = QueuedWork()
            var listed: [SenderList: Set<String>] = [:]
            for list in decision.left + decision.lists { listed[list] = try lists.entries(of: list) }
            for sender in senders { work.steps += try changes(sender, decision, steps, listed) }
            for message in senders.flatMap(\.messages) {
                work.steps.append(steps.move(message.id, message.key, to: decision.destination(context)))
            }
            reports.append(try await runner.carryOut(work, account: account, command: decision.verb))
        }
        if decision.releasesMail, reports.contains(where: { !$0.didNothing }) {
            WatchPeer(storeFolder: workspace.storeFolder).noteMail()
        }
        return DecidedSenders(reports: reports, leftOut: leftOut)
    }

    /// `listed`: the current entries of the lists. Only differences become steps.
    private func changes(
        _ sender: ScreenedSender, _ decision: SenderDecision, _ steps: HandSteps,
        _ listed: [SenderList: Set<String>]
    ) throws -> [Step] {
        guard let address = sender.address else { return [] }
        guard decision.accepts(sender) else { throw Problem.notListable(sender) }
        let message = sender.messages.first?.id
        let isListed = { (list: SenderList) in
            listed[list]?.contains(address.withMailDomain.comparable) ?? false
        }
        return decision.left.filter(isListed).map {
            steps.list(address, $0, isListed: false, message: message)
        }
            + decision.lists.filter { !isListed($0) }.map {
                steps.list(address, $0, isListed: true, message: message)
            }
    }

    /// Each word is a sender; an address need not have held mail.
    private func chosen(
        _ selection: SenderSelection, among waiting: [ScreenedSender], account name: String?
    ) throws -> [ScreenedSender] {
        guard case .typed(let words) = selection else { return waiting }
        var chosen: [ScreenedSender] = []
        for word in words {
            let found: [ScreenedSender]
            if word.contains("@") {
                let wanted = EmailAddress(word.hasPrefix("@") ? "any" + word : word)?.withMailDomain
                found = waiting.filter { sender in
                    guard let wanted, let address = sender.address?.withMailDomain else { return false }
                    return word.hasPrefix("@")
                        ? address.domain == wanted.domain : address.comparable == wanted.comparable
                }
                if found.isEmpty { chosen.append(try stranger(word, account: name)) }
            } else {
                let id = try lookup.message(word).id
                found = waiting.filter { $0.messages.contains { $0.id == id } }
                guard !found.isEmpty else {
                    throw Problem(
                        "not-screened", exit: .notFound, message: "\(word) does not wait in the screener",
                        next: ["opus screener"])
                }
            }
            chosen += found
        }
        var seen: Set<String> = []
        return chosen.filter {
            seen.insert("\($0.account) \($0.address?.mailComparable ?? $0.shortID)").inserted
        }
    }

    private func stranger(_ word: String, account name: String?) throws -> ScreenedSender {
        guard let address = EmailAddress(word), SenderLists.isEntry(word) else {
            throw Problem(
                "not-screened", exit: .notFound, message: "no mail of \(word) waits in the screener",
                next: ["opus screener"])
        }
        guard let account = try accounts.ids(named: name).first else { throw Problem.noSender(word) }
        return ScreenedSender(
            account: account, address: address, messages: [], shortID: word, replyTo: [], looksLike: nil)
    }
}

extension Problem {
    /// The address of this sender cannot be in a list, so opus can decide about the mail alone.
    public static func notListable(_ sender: ScreenedSender) -> Problem {
        Problem(
            "bad-address", exit: .badData,
            message:
                "\"\(sender.address?.addrSpec ?? "")\" cannot be in a list: an entry is a plain address such as ana@example.org",
            next: ["opus screener clear \(sender.shortID)", "opus move \(sender.shortID) inbox"])
    }

    fileprivate static func noSender(_ word: String) -> Problem {
        Problem(
            "no-account", exit: .configuration, message: "no account can carry out the decision about \(word)"
        )
    }
}

extension SenderDecision {
    /// Whether the lists of the decision can have this sender. Mail without a sender needs no list.
    fileprivate func accepts(_ sender: ScreenedSender) -> Bool {
        lists.isEmpty || (sender.address.map { SenderLists.isEntry($0.addrSpec) } ?? true)
    }

    fileprivate func destination(_ context: StepContext) -> Mailbox {
        switch self {
        case .approve: context.inbox
        case .deny: context.mailbox(for: .trash)
        case .clear: context.mailbox(for: .archive)
        }
    }
}
