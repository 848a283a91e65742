import Accounts
import Executor
public import Inspection
import MIMEParser
import MailStore
import MaildirClient
public import Models
public import Rules
import SyncEngine

/// One message in full.
public struct MessageView: Sendable {
    public var line: MessageLine
    public var mailboxes: [String]
    public var headers: [HeaderField]
    public var text: String
    /// Of the conversation, open and closed.
    public var tasks: [TodoFile]
    /// What the header tells; the rest takes the whole message.
    public var facts: [FactLine]
    /// Only the beginning of the message is in the store.
    public var isTruncated: Bool
}

/// Why each rule did or did not match a message, and what was done with it.
public struct Explanation: Sendable {
    public var line: MessageLine
    public var rules: [RuleExplanation]
    public var evaluation: Evaluation
    /// What runs did with the message, the latest first.
    public var history: [PastStep]
}

/// A step that a run made, and whether its rule still says the same.
public struct PastStep: Sendable {
    public enum RuleChange: String, Sendable {
        case same
        case changed
        /// There is no such rule any more.
        case gone
        /// It was no rule, or what it said was not kept.
        case unknown
    }

    public var run: RunID
    public var at: Timestamp?
    public var step: Step
    public var ruleChange: RuleChange
    /// The run that took it back.
    public var undoneBy: RunID?
}

extension Session {
    public func view(_ typed: String) throws -> MessageView {
        let detail = try message(typed)
        let line = try self.line(of: detail)
        return MessageView(
            line: line, mailboxes: detail.places.map(\.mailbox.displayName),
            headers: HeaderBlock.fields(of: detail.headerBlock), text: detail.text,
            tasks: try tasks(ofThread: detail.thread),
            facts: FactLine.protection(
                MIMEParser.parse(Array(detail.headerBlock)).protection, detail.signature),
            isTruncated: detail.isTruncated)
    }

    /// The message's bytes, read from the account.
    public func raw(_ typed: String) async throws -> [UInt8] {
        let detail = try message(typed)
        let account = try requireAccount(detail.account)
        guard let bytes = try await connected(account, { try await bytes(of: detail.id, over: $0) }) else {
            throw Problem(
                "gone", exit: .notFound, message: "no mailbox holds this message any more",
                next: ["opus sync", "opus show \(typed) (its text is still in the store)"])
        }
        return bytes
    }

    /// nil when no mailbox holds the message any more.
    func bytes(of id: EmailID, over connection: AccountConnection) async throws -> [UInt8]? {
        guard let place = try store.places(of: id).first(where: { !$0.isMissing }) else { return nil }
        let listed = ListedMessage(uid: place.key.uid, remoteName: place.remoteName)
        let box = RawBox()
        return try await Problem.wrap(connection.account) {
            _ = try await connection.source.open(place.mailbox)
            try await connection.source.fetch([listed], of: place.mailbox, limit: Self.rawLimit) { raw in
                await box.put(raw.bytes)
            }
            return await box.bytes
        }
    }

    /// The largest message that is read whole on a person's word.
    static let rawLimit = 256 << 20

    /// The message whole, for what the store does not keep.
    public func opened(_ typed: String) async throws -> OpenMessage {
        OpenMessage(try await raw(typed), name: typed)
    }

    /// Also where tests of the rules fail: explaining changes nothing, and may tell why.
    public func explain(_ typed: String, rule: String?) throws -> Explanation {
        let library = RuleLibrary.load(workspace)
        guard library.errors.isEmpty else { throw DiagnosticFailure(library.diagnostics, exit: .badData) }
        let detail = try message(typed)
        let account = try requireAccount(detail.account)
        let all = try facts(.ids([detail.id]), needs: [.headers, .text])
        var context = try surrounded(
            ruleContext(for: account, remembering: [.ids([detail.id])]), for: all, needs: library.rules.needs,
            account: account, forRules: true)
        try RuleMemory(self, library).recall(into: &context, for: all, account: account.id)
        guard let facts = all.first(where: { $0.mailbox.role == .inbox }) ?? all.first else {
            throw Problem("gone", exit: .notFound, message: "no mailbox holds this message any more")
        }
        var rules = library.rules.explain(facts, in: context)
        if let rule {
            rules = rules.filter { $0.id == rule }
            guard !rules.isEmpty else {
                throw Problem(
                    "no-such-rule", exit: .notFound, message: "there is no rule \"\(rule)\"",
                    next: ["opus rules list"])
            }
        }
        guard let line = try lines([facts], account: account).first else {
            throw Problem("gone", exit: .notFound, message: "no mailbox holds this message any more")
        }
        return Explanation(
            line: line, rules: rules, evaluation: library.rules.evaluate(facts, in: context),
            history: try history(of: detail.id, library, rule: rule))
    }

    private func history(of message: EmailID, _ library: RuleLibrary, rule: String?) throws -> [PastStep] {
        let now = RuleDigests.of(library)
        return try store.runsMentioning(message).filter { rule == nil || $0.step.rule == rule }.map {
            run, step in
            let then = try store.ruleDigest(step.rule, in: run)
            let change: PastStep.RuleChange =
                then.map { then in now[step.rule].map { $0.change(since: then) } ?? .gone } ?? .unknown
            return PastStep(
                run: run, at: try store.run(run)?.summary.startedAt, step: step, ruleChange: change,
                undoneBy: try step.id.flatMap { try store.undone(in: run)[$0] })
        }
    }

    public func shortIDs(_ ids: [EmailID]) throws -> [EmailID: String] { try store.shortPrefix(of: ids) }

    private func line(of detail: StoredMessage) throws -> MessageLine {
        let account = try requireAccount(detail.account)
        let all = try facts(.ids([detail.id]), needs: [])
        if let line = try lines(Array(all.prefix(1)), account: account).first { return line }
        return try lines([Self.factsWithoutPlace(detail)], account: account)[0]
    }

    /// Of a message that no mailbox holds any more.
    static func factsWithoutPlace(_ detail: StoredMessage) -> MessageFacts {
        let nowhere = Mailbox(account: detail.account, name: MailboxName("-"), displayName: "(no mailbox)")
        var facts = MessageFacts(
            id: detail.id,
            key: MessageKey(account: detail.account, mailbox: nowhere.name, uidValidity: 0, uid: 0),
            mailbox: nowhere, thread: detail.thread, received: detail.received)
        facts.subject = detail.subject
        facts.from = detail.from
        facts.to = detail.to
        facts.cc = detail.cc
        facts.sent = detail.sent
        facts.messageID = detail.messageID
        facts.size = detail.size
        facts.attachments = detail.attachments
        facts.signature = detail.signature
        facts.flags = [.seen]
        facts.conversation = detail.conversation
        return facts
    }
}

private actor RawBox {
    private(set) var bytes: [UInt8]?
    func put(_ new: [UInt8]) { bytes = new }
}
