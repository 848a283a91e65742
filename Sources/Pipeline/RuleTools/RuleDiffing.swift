import Accounts
import Models
import Rules

/// Judges stored mail with two versions of the rules. Changes nothing.
struct RuleDiffing: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let loader: FactLoader
    let lookup: MessageLookup
    let surroundings: Surroundings
    let oldMail: OldMail

    /// Judges stored mail with two versions of the rules.
    func compare(_ request: RuleComparisonRequest, directory: String) throws -> RuleComparison {
        let folder = workspace.rulesFolder
        let oldSource = try RuleSource.named(request.old, rulesFolder: folder, directory: directory)
        let newSource = try request.new.map {
            try RuleSource.named($0, rulesFolder: folder, directory: directory)
        }
        let old = try compiled(oldSource)
        let new = try compiled(newSource ?? .folder(folder, shownBelow: workspace.root))
        let query = try QuerySpan.parse(request.over, rules: new.rules)
        var work = RuleComparing(
            old: old.rules, new: new.rules, samples: max(0, request.samples), asOfToday: request.asOfToday
        )
        let reader = loader.reader(for: old.rules, new.rules)
        for id in try accounts.ids(named: request.account) {
            let account = try accounts.require(id)
            var context = try surroundings.ruleContext(for: account)
            context.autoReplies = [:]
            context.answerStarts = nil
            let sides = work.sides(in: context, account: account.id)
            let having = query.query.needs.intersection(.content)
            let around = try OldSurroundings(
                surroundings, account, context, old.rules.needs.union(new.rules.needs),
                asOfToday: request.asOfToday)
            try oldMail.each(of: account, matching: query.query) { messages in
                if let context = try around?.context(for: messages) {
                    sides.old.surround(by: context)
                    sides.new.surround(by: context)
                }
                try work.judge(messages, having: having, by: sides, reading: reader)
            }
        }
        var result = RuleComparison(
            old: .init(title: oldSource.title, files: old.rules.fileCount, rules: old.rules.ruleCount),
            new: .init(
                title: newSource?.title ?? "the rules now", files: new.rules.fileCount,
                rules: new.rules.ruleCount), query: query.text)
        result.messages = work.messages
        result.different = work.different
        result.rules = try named(work.rules)
        return result
    }

    private func compiled(_ source: RuleSource) throws -> RuleLibrary {
        let library = RuleLibrary.load(source, workspace)
        guard library.errors.isEmpty else { throw DiagnosticFailure(library.diagnostics, exit: .badData) }
        return library
    }

    private func named(_ rules: [RuleComparison.Rule]) throws -> [RuleComparison.Rule] {
        let samples = rules.flatMap { $0.gained.samples + $0.lost.samples + $0.changed.samples }
        let ids = try lookup.shortIDs(samples.map(\.message))
        return rules.map { rule in
            var rule = rule
            for group in [\RuleComparison.Rule.gained, \.lost, \.changed] {
                for index in rule[keyPath: group].samples.indices {
                    let id = rule[keyPath: group].samples[index].message
                    rule[keyPath: group].samples[index].shortID = ids[id] ?? id.rawValue
                }
            }
            return rule
        }
    }
}
