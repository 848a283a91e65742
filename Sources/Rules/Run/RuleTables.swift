import Models

/// The names of a rule set that conditions refer to.
struct RuleTables: Sendable {
    var lists: [String: AddressList] = [:]
    var defines: [String: Condition] = [:]
    /// `when` and `unless` of each rule as one condition, for `matched:`.
    var rules: [String: Condition] = [:]
    var hasRules = false
    /// The saved searches of the user, for typed queries.
    var searches: [String: String] = [:]

    var names: KnownNames {
        KnownNames(
            lists: Set(lists.keys), defines: Set(defines.keys), rules: Set(rules.keys), hasRules: hasRules)
    }

    /// The facts that a condition needs, including through definitions and other rules. Cycles were rejected
    /// before.
    func needs(of condition: Condition) -> FactNeeds {
        tests(of: condition).reduce(into: []) { needs, test in
            needs.formUnion(test.needs)
            guard let inner = test.inner else { return }
            for test in tests(of: inner) { needs.formUnion(test.needs.insideThread) }
        }
    }

    /// The header fields that a condition uses, in lower case.
    func headerNames(of condition: Condition) -> Set<String> {
        tests(of: condition).reduce(into: []) { $0.formUnion($1.headerNames) }
    }

    /// The changing facts that a condition uses, including through definitions and other rules.
    func changingFacts(of condition: Condition) -> ChangingFacts {
        tests(of: condition).reduce(into: []) { $0.formUnion($1.changingFacts) }
    }

    /// Whether the result for a message is known when it arrives; see ``ConditionTest/isKnownAtArrival``.
    func isKnownAtArrival(_ condition: Condition) -> Bool {
        tests(of: condition).allSatisfy { test in
            test.isKnownAtArrival && test.inner.map(isKnownAtArrival) ?? true
        }
    }

    /// All tests of a condition, and of everything that it refers to.
    func tests(of condition: Condition) -> [ConditionTest] {
        var seen: Set<String> = []
        var open = [condition]
        var result: [ConditionTest] = []
        while let next = open.popLast() {
            for test in next.tests {
                result.append(test)
                switch test.kind {
                case .defined(let name) where seen.insert("is:" + name).inserted:
                    if let condition = defines[name] { open.append(condition) }
                case .matched(let name) where seen.insert("matched:" + name).inserted:
                    if let condition = rules[name] { open.append(condition) }
                case .address, .text, .amount, .age, .time, .clock, .weekday, .state, .keyword,
                    .mailbox,
                    .taskList, .waited, .authentication, .identity, .thread, .defined, .matched:
                    break
                }
            }
        }
        return result
    }
}

/// The addresses and domains of a list, for fast look-up.
struct AddressList: Sendable {
    private(set) var addresses: Set<FoldedText> = []
    private(set) var domains: Set<String> = []
    private(set) var globs: [Pattern] = []
    private(set) var count = 0

    /// Adds `ana@x.org`, `@x.org` or `x.org` (the domain and its subdomains), or `*@x.org`; false if it is
    /// not a valid entry. Each spelling of its domain matches.
    mutating func add(_ entry: String) -> Bool {
        let text = entry.trimmingBlanks()
        guard insert(text.folded) else { return false }
        count += 1
        for other in AddressText.otherSpellings(of: text) { _ = insert(other.folded) }
        return true
    }

    private mutating func insert(_ text: String) -> Bool {
        guard !text.isEmpty, text != "@", text.utf8.count <= 320, !text.hasPrefix("mailto:"),
            !text.unicodeScalars.contains(where: { $0.value <= 0x20 || ",;|<>\"".unicodeScalars.contains($0) }
            )
        else { return false }
        if text.contains("*") {
            guard let glob = try? Pattern.glob(text, keepsAccents: true) else { return false }
            globs.append(glob)
        } else if text.hasPrefix("@") {
            domains.insert(String(text.dropFirst()))
        } else if let address = EmailAddress(text) {
            addresses.insert(FoldedText(address.comparable))
        } else if text.contains("."), !text.contains("@") {
            domains.insert(text)
        } else {
            return false
        }
        return true
    }

    /// `address` and `domain` must be folded.
    func contains(address: FoldedText, domain: String) -> Bool {
        if addresses.contains(address) { return true }
        if !domains.isEmpty {
            var rest = domain[...]
            while !rest.isEmpty {
                if domains.contains(String(rest)) { return true }
                guard let dot = rest.firstIndex(of: ".") else { break }
                rest = rest[rest.index(after: dot)...]
            }
        }
        return globs.contains { $0.matches(address) }
    }
}
