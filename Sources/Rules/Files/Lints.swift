import Models
import YAMLSource

/// Findings about all rules together: cycles, unreachable rules, unused names.
struct Lints {
    static let maximumChain = 16

    let rules: RuleSet
    let definitions: Definitions
    /// The user's addresses (`EmailAddress.comparable`).
    var own: Set<String> = []

    func run() {
        checkReferences()
        checkReach()
        checkCover()
        checkLoops(own: own)
        checkUse()
    }

    // MARK: References

    private struct Reference: Hashable {
        let isRule: Bool
        let name: String

        var spelling: String { isRule ? "matched:\(name)" : "is:\(name)" }
    }

    private func references(of condition: Condition) -> [Reference] {
        condition.tests.compactMap { test in
            switch test.kind {
            case .defined(let name): Reference(isRule: false, name: name)
            case .matched(let name): Reference(isRule: true, name: name)
            case .address, .text, .amount, .age, .time, .clock, .weekday, .state, .keyword, .mailbox,
                .taskList, .waited, .authentication, .identity, .thread:
                nil
            }
        }
    }

    private func condition(of reference: Reference) -> Condition? {
        reference.isRule ? rules.tables.rules[reference.name] : rules.tables.defines[reference.name]
    }

    /// Reports circular references, and chains that are too long.
    private func checkReferences() {
        var graph: [Reference: [Reference]] = [:]
        for (name, condition) in rules.tables.defines {
            graph[Reference(isRule: false, name: name)] = references(of: condition)
        }
        for (name, condition) in rules.tables.rules {
            graph[Reference(isRule: true, name: name)] = references(of: condition)
        }
        let heights = heights(of: graph)
        let places =
            definitions.defines.map { (Reference(isRule: false, name: $0.name), $0) }
            + definitions.rules.map { (Reference(isRule: true, name: $0.name), $0) }
        for (reference, place) in places {
            guard graph[reference] != nil else { continue }
            guard let height = heights[reference] else {
                place.report.error(
                    "R046", place.node, "'\(place.name)' refers to itself, through \(cycle(reference, graph))"
                )
                continue
            }
            if height > Self.maximumChain {
                place.report.error(
                    "R046", place.node,
                    "'\(place.name)' refers through \(height) others, at most \(Self.maximumChain)")
            }
        }
    }

    /// For each reference, the distance from one that refers to nothing. A missing name is in a cycle, or
    /// leads to one. Computed without recursion: in rounds from the leaves up.
    private func heights(of graph: [Reference: [Reference]]) -> [Reference: Int] {
        var heights: [Reference: Int] = [:]
        var users: [Reference: [Reference]] = [:]
        var open: [Reference: Int] = [:]
        var ready: [Reference] = []
        for (reference, targets) in graph {
            let known = targets.filter { graph[$0] != nil }
            open[reference] = known.count
            if known.isEmpty { ready.append(reference) }
            for target in known { users[target, default: []].append(reference) }
        }
        while let done = ready.popLast() {
            let below = graph[done, default: []].compactMap { heights[$0] }.max() ?? -1
            heights[done] = below + 1
            for user in users[done, default: []] {
                open[user, default: 1] -= 1
                if open[user] == 0 { ready.append(user) }
            }
        }
        return heights
    }

    private func cycle(_ start: Reference, _ graph: [Reference: [Reference]]) -> String {
        var path: [String] = []
        var seen: Set<Reference> = []
        var next: Reference? = start
        let heights = heights(of: graph)
        while let current = next, seen.insert(current).inserted, path.count < 8 {
            path.append(current.spelling)
            next = graph[current]?.first { heights[$0] == nil && graph[$0] != nil }
        }
        if let next, path.count < 8 { path.append(next.spelling) }
        return path.dropFirst().joined(separator: " → ")
    }

    // MARK: Reach

    /// A rule that moves every message leaves nothing for later rules.
    private func checkReach() {
        guard
            let end = rules.compiled.firstIndex(where: { rule in
                guard case .always = rule.when else { return false }
                let isScoped =
                    !rule.scope.mailboxes.isEmpty || rule.scope.expires != nil || rule.scope.schedule != nil
                let isOpen =
                    rule.info.isEnabled && !isScoped && rule.unless == nil && rule.info.accounts.isEmpty
                return isOpen && (rule.stops || (rule.disposes && !rule.continues))
            })
        else { return }
        let last = rules.compiled[end].info
        let alternatives = rules.entries.compactMap { entry -> [Int]? in
            if case .choose(let indices) = entry, indices.contains(end) { indices } else { nil }
        }.flatMap { $0 }
        for rule in rules.compiled[(end + 1)...] where rule.scope.mailboxes.isEmpty {
            guard let place = definitions.rules.first(where: { $0.name == rule.info.id }) else { continue }
            let why = alternatives.isEmpty ? "ends the triage of every message" : "takes every message"
            place.report.warning(
                "R080", place.node,
                "'\(rule.info.id)' is never reached: '\(last.id)' (\(last.file):\(last.line)) \(why)")
        }
    }

    // MARK: Use

    private func checkUse() {
        var used: Set<Reference> = []
        var lists: Set<String> = []
        let conditions =
            rules.compiled.map(\.condition) + rules.protections.map(\.condition)
            + Array(rules.tables.defines.values)
        for condition in conditions {
            used.formUnion(references(of: condition))
            for test in condition.tests {
                if case .address(_, .list(let name)) = test.kind { lists.insert(name) }
            }
        }
        for place in definitions.defines where !used.contains(Reference(isRule: false, name: place.name)) {
            place.report.warning("R081", place.node, "nothing uses the definition '\(place.name)'")
        }
        for place in definitions.lists where !lists.contains(place.name) {
            place.report.warning("R082", place.node, "nothing uses the list '@\(place.name)'")
        }
    }
}
