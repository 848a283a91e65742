import MIMEParser
import MailStore
import Models
import Planner
import Rules

/// Reads messages from the store, with the parts of header and text that the caller needs.
struct FactLoader: Sendable {
    let store: Store

    /// The number of messages that are read at once.
    static let chunk = 500

    /// Messages by their rows, with the needed parts of header and text.
    func facts(_ selection: FactSelection, needs: FactNeeds) throws -> [MessageFacts] {
        var parts: FactParts = []
        if needs.contains(.headers) { parts.insert(.headers) }
        if needs.contains(.text) { parts.insert(.text) }
        return try store.messages.facts(
            selection, including: parts, decodeHeaders: { HeaderBlock.fields(of: $0) })
    }

    /// The needed parts of headers and texts. `headerNames`: only these header fields; nil: all.
    func contents(
        _ ids: [EmailID], _ needs: FactNeeds, headerNames: Set<String>?
    ) throws -> [EmailID: MessageContent] {
        var parts: FactParts = []
        if needs.contains(.headers) { parts.insert(.headers) }
        if needs.contains(.text) { parts.insert(.text) }
        return try store.messages.contents(
            of: ids, including: parts,
            decodeHeaders: { block in
                headerNames.map { HeaderBlock.fields(of: block, named: $0) } ?? HeaderBlock.fields(of: block)
            })
    }

    /// Reads header and text when rules need them; only the header fields that the rules name.
    func reader(for rules: RuleSet...) -> ContentOnDemand.Reader<any Error> {
        var names: Set<String>? = []
        for rules in rules { names = names.flatMap { names in rules.headerNames.map(names.union) } }
        let wanted = names
        return { try self.contents($0, $1, headerNames: wanted) }
    }

    /// How a message answers an earlier one; reads the parts of its header and its text that tell.
    func answerKind(of facts: MessageFacts, _ zone: ZoneClock) throws -> AnswerKind {
        var facts = facts
        let content = try contents(
            [facts.id], [.headers, .text], headerNames: AnswerKind.headerNames)
        if let content = content[facts.id] { facts.take(content) }
        return AnswerKind(of: facts, asOf: zone.local(facts.date).date)
    }

    /// Calls `body` for these messages, each once, without content, a few hundred at a time.
    func eachSlice(of ids: [EmailID], _ body: ([MessageFacts]) throws -> Void) throws {
        for start in stride(from: 0, to: ids.count, by: Self.chunk) {
            var seen: Set<EmailID> = []
            let slice = Array(ids[start..<min(start + Self.chunk, ids.count)])
            try body(try facts(.ids(slice), needs: []).filter { seen.insert($0.id).inserted })
        }
    }

    /// The mail of these tasks, if one of the messages is another one of its conversation.
    func mail(of links: [TodoID: TodoLink], besides messages: [MessageFacts]) throws -> [TodoID: MessageFacts]
    {
        let shared = Set(
            messages.flatMap { message in
                message.openTodos.filter { id in links[id].map { $0.message != message.id } ?? false }
            })
        guard !shared.isEmpty else { return [:] }
        var mail: [EmailID: MessageFacts] = [:]
        try eachSlice(of: Array(Set(shared.compactMap { links[$0]?.message }))) { slice in
            for facts in slice { mail[facts.id] = facts }
        }
        var found: [TodoID: MessageFacts] = [:]
        for id in shared { found[id] = links[id].flatMap { mail[$0.message] } }
        return found
    }

    /// The user's mail in the conversations of these threads. `own`: the user's addresses.
    func company(in threads: [ThreadID], account: AccountID, own: OwnAddressSet) throws -> Company {
        let mail = try store.threads.ownMail(in: threads, account: account)
        return Company(written: mail.recipients, sent: mail.messages, own: own.people)
    }
}
