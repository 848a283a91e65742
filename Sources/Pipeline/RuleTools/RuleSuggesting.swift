import Accounts
import MailStore
import Models
import Planner
import RuleImport
import Rules
import YAMLSource

/// Derives suggestions from the user's moves and reversals: new rules, and exceptions to rules.
struct RuleSuggesting: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let lookup: MessageLookup
    let surroundings: Surroundings
    let oldMail: OldMail
    let now: Timestamp

    /// The minimum number of messages that the user moved to the same place.
    private static let leastMoves = 3
    /// The minimum share of these in all received messages of the kind, in per cent.
    private static let leastShare = 80
    /// The minimum number of messages from one sender for which the user undid a rule.
    private static let leastReversals = 2
    private static let suggestionDays: Int64 = 90

    func suggest(_ library: RuleLibrary, account name: String?) throws -> RuleSuggestions {
        var draft = SuggestionDraft(
            workspace: workspace, oldMail: oldMail, now: now, library: library, file: unusedName())
        for id in try accounts.ids(named: name) {
            let account = try accounts.require(id)
            let taken = library.rules.rules.map(\.id) + draft.rules.map(\.id)
            for candidate in try newRules(library, account, taken: taken) { try draft.consider(candidate) }
            for candidate in try exceptions(account) { try draft.consider(candidate) }
        }
        var result = RuleSuggestions()
        result.suggestions = draft.suggestions
        result.diff = draft.edit.diff
        result.notes = draft.edit.notes
        return result
    }

    private func unusedName() -> String {
        let names = RuleSource.folder(workspace.rulesFolder, shownBelow: workspace.root).names
        return (95...).lazy.map { "\($0)-suggested.yaml" }.first { !names.contains($0) } ?? "suggested.yaml"
    }

    // MARK: Moves

    private struct Moved {
        var action: String
        var message: EmailID
        /// The move was made in another program and found by a sync.
        var isElsewhere: Bool
    }

    private func newRules(
        _ library: RuleLibrary, _ account: Account, taken: [String]
    ) throws -> [RuleCandidate] {
        let moved = try movedByHand(account)
        let context = try surroundings.ruleContext(for: account)
        var groups: [MailKind: [(move: Moved, facts: MessageFacts)]] = [:]
        var stayed: [MailKind: Int] = [:]
        let byMessage = Dictionary(moved.map { ($0.message, $0) }, uniquingKeysWith: { _, last in last })
        let judge = library.rules.evaluator(in: context)
        try loader.eachSlice(of: moved.map(\.message)) { slice in
            let known = try loader.kinds(of: slice)
            for facts in try left(by: judge, library.rules, in: context, slice) {
                guard let move = byMessage[facts.id], let kind = known[facts.id] else { continue }
                groups[kind, default: []].append((move, facts))
            }
        }
        groups = groups.filter { $0.value.count >= Self.leastMoves }
        guard !groups.isEmpty else { return [] }
        let inbox = try loader.facts(.role(account.id, .inbox), needs: [])
        let known = try loader.kinds(of: inbox)
        for facts in inbox where byMessage[facts.id] == nil {
            if let kind = known[facts.id] { stayed[kind, default: 0] += 1 }
        }
        var rules: [RuleFromMail] = []
        var candidates: [RuleCandidate] = []
        for (kind, members) in groups.sorted(by: {
            ($0.value.count, $1.key.words) > ($1.value.count, $0.key.words)
        }) {
            let counts = Dictionary(grouping: members, by: \.move.action)
            guard
                let (action, same) = counts.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) }),
                same.count >= Self.leastMoves
            else { continue }
            let all = members.count + stayed[kind, default: 0]
            guard same.count * 100 >= all * Self.leastShare else { continue }
            let evidence = evidence(kind, action, same.map(\.move), of: all)
            let newest = same.sorted { $0.facts.date > $1.facts.date }.map(\.facts)
            guard
                let rule = try? RuleFromMail(
                    newest.prefix(1).map { try example($0) }, actions: [action],
                    taken: Set(taken + rules.map(\.id)),
                    remarks: [evidence, "Seen: " + (try shown(newest.map(\.id)))])
            else { continue }
            rules.append(rule)
            candidates.append(
                RuleCandidate(
                    change: .rule(rule), account: account, kind: kind,
                    suggestion: .init(
                        rule: rule.id, isNew: true, evidence: evidence, messages: newest.map(\.id))))
        }
        return candidates
    }

    private func evidence(_ kind: MailKind, _ action: String, _ moves: [Moved], of all: Int) -> String {
        let elsewhere = moves.count { $0.isElsewhere }
        let how =
            elsewhere == 0
            ? "with opus" : elsewhere == moves.count ? "in another program" : "with opus and elsewhere"
        let what = action.hasPrefix("move: ") ? "moved to \(action.dropFirst(6))" : "sent to \(action)"
        return "\(moves.count) of \(all) mails of \(kind.words) in 90 days were \(what) by hand, \(how)."
    }

    private func shown(_ ids: [EmailID]) throws -> String {
        let names = try lookup.shortIDs(Array(ids.prefix(5)))
        return ids.prefix(5).map { "m:" + (names[$0] ?? $0.rawValue) }.joined(separator: ", ")
            + (ids.count > 5 ? ", …" : "")
    }

    /// Messages that the rules would leave in the inbox.
    private func left(
        by judge: RuleEvaluator, _ rules: RuleSet, in context: RuleContext, _ slice: [MessageFacts]
    ) throws -> [MessageFacts] {
        let inbox = context.mailboxes.first { $0.role == .inbox }
        let arrived = slice.map { facts in
            var facts = facts
            if let inbox { facts.mailbox = inbox }
            return facts
        }
        var left: [MessageFacts] = []
        try ContentOnDemand.look(at: arrived[...], having: [], reading: loader.reader(for: rules)) {
            index, facts, having in
            let answer = judge.answer(facts, having: having)
            if case .decided(let evaluation) = answer, evaluation.disposition == .keep,
                evaluation.protectedBy == nil
            {
                left.append(slice[index])
            }
            return answer.missing
        }
        return left
    }

    /// The complete message, as needed to make a rule.
    private func example(_ facts: MessageFacts) throws -> RuleFromMail.Example {
        var facts = facts
        if let content = try loader.contents([facts.id], .content, headerNames: nil)[facts.id] {
            facts.take(content)
        }
        return facts.example
    }

    /// The last place to which the user moved each message, with opus or in another program.
    private func movedByHand(_ account: Account) throws -> [Moved] {
        let since = now - Self.suggestionDays * 86_400
        let journal = try store.rules.moves(account: account.id, since: since)
        var moved: [EmailID: Moved] = [:]
        var known: Set<EmailID> = []
        for move in journal {
            known.insert(move.message)
            moved[move.message] =
                move.cause.isChoiceOfPlace && !move.isUndone
                ? word(move.to, account).map { Moved(action: $0, message: move.message, isElsewhere: false) }
                : nil
        }
        let left = try store.rules.leftInbox(account: account.id, since: since).subtracting(known)
        try loader.eachSlice(of: Array(left)) { slice in
            for facts in slice where facts.mailbox.role != .inbox {
                guard let word = word(facts.mailbox, account) else { continue }
                moved[facts.id] = Moved(action: word, message: facts.id, isElsewhere: true)
            }
        }
        return moved.values.sorted { $0.message < $1.message }
    }

    /// The action that moves mail to a mailbox; nil: rules have no such action.
    private func word(_ mailbox: Mailbox, _ account: Account) -> String? {
        switch mailbox.role {
        case .archive, .all: "archive"
        case .trash: "trash"
        case .junk: "junk"
        case nil: "move: " + mailbox.displayName
        case .inbox, .drafts, .sent, .flagged, .deferred: nil
        }
    }

    // MARK: Reversals

    /// Exceptions for rules that were undone, with tests.
    private func exceptions(_ account: Account) throws -> [RuleCandidate] {
        var candidates: [RuleCandidate] = []
        for (rule, messages) in try Reversals(store: store, loader: loader).byRule(account: account.id)
            .sorted(by: { $0.key < $1.key })
        {
            var groups: [MailKind: [MessageFacts]] = [:]
            try loader.eachSlice(of: messages.sorted()) { slice in
                let known = try loader.kinds(of: slice)
                for facts in slice {
                    if let kind = known[facts.id] { groups[kind, default: []].append(facts) }
                }
            }
            for (kind, facts) in groups.sorted(by: { $0.key.words < $1.key.words })
            where facts.count >= Self.leastReversals {
                guard let newest = facts.max(by: { $0.date < $1.date }) else { continue }
                let name = "\(rule) leaves \(kind.words) alone"
                candidates.append(
                    RuleCandidate(
                        change: .exception(
                            testName: name, test: RuleFromMail.keepTest(try example(newest), name: name)),
                        account: account, kind: kind,
                        suggestion: .init(
                            rule: rule, isNew: false,
                            evidence: "You undid \(rule) for \(facts.count) mails of \(kind.words).",
                            messages: facts.map(\.id))))
            }
        }
        return candidates
    }
}
