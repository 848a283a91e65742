public import Models

extension RuleSet {
    /// Runs the tests of all rule files, each with the rules of its own file and everything that they refer
    /// to.
    ///
    /// `context`: the user's addresses, the time zone and the settings; each test has its own clock, and a
    /// mailbox for every name to which a rule moves. `comparing`: also finds the rules of other files that
    /// change the result, which runs each test twice.
    public func runTests(context: RuleContext, comparing: Bool = true) -> [RuleTestResult] {
        var alone: [Set<String>: RuleSet] = [:]
        return tests.map { test in
            let files = filesBehind(test)
            let rules = alone[files] ?? standing(in: files)
            alone[files] = rules
            return RuleTestJudging(test: test, alone: rules, all: self, files: files, context: context)
                .result(comparing: comparing)
        }
    }

    /// The files with which a test is judged: its own, and those with the rules and protections that it
    /// expects. A file with only tests uses all rules.
    private func filesBehind(_ test: RuleTest) -> Set<String> {
        let all = Set(compiled.map(\.info.file) + protections.map(\.file))
        guard all.contains(test.file) else { return all }
        var files: Set<String> = [test.file]
        for expectation in test.expected {
            if case .rule(let id?) = expectation {
                files.formUnion(compiled.filter { $0.info.id == id }.map(\.info.file))
            }
            if case .protectedBy(let name) = expectation {
                let places = protections.filter { $0.name == name }.map(\.file)
                if !places.contains(test.file) { files.formUnion(places) }
            }
        }
        return files
    }

    /// Only the rules and protections of these files act. Lists, definitions and the conditions behind
    /// `matched:` are those of all files, because they have no effect by themselves.
    private func standing(in files: Set<String>) -> RuleSet {
        var set = self
        set.entries = entries.compactMap { entry in
            switch entry {
            case .rule(let index): return files.contains(compiled[index].info.file) ? entry : nil
            case .choose(let indices):
                return indices.contains { files.contains(compiled[$0].info.file) } ? entry : nil
            }
        }
        set.protections = protections.filter { files.contains($0.file) }
        return set
    }

    /// Without one rule.
    fileprivate func without(_ index: Int) -> RuleSet {
        var set = self
        set.compiled[index].info = set.compiled[index].info.disabled
        return set
    }

    fileprivate func without(_ protection: Protection) -> RuleSet {
        var set = self
        set.protections.removeAll { $0.file == protection.file && $0.name == protection.name }
        return set
    }
}

/// Runs one test with its own file, and again with all files.
private struct RuleTestJudging {
    let test: RuleTest
    let alone: RuleSet
    let all: RuleSet
    let files: Set<String>
    let context: RuleContext

    func result(comparing: Bool) -> RuleTestResult {
        let detail = failure(of: alone)
        let isWhole = files.isSuperset(of: all.compiled.map(\.info.file) + all.protections.map(\.file))
        guard !isWhole, comparing || detail != nil else { return result(detail, nil) }
        let beside = failure(of: all)
        switch (detail, beside) {
        case (nil, nil): return result(nil, nil)
        case (nil, let found?): return result(nil, interference(found) { failure(of: $0) == nil })
        // Without the other file, the test would fail: it depends on both.
        case (.some, nil): return result(nil, interference("") { failure(of: $0) != nil })
        case (let found?, .some): return result(found, nil)
        }
    }

    private func result(_ detail: String?, _ interference: RuleTestInterference?) -> RuleTestResult {
        RuleTestResult(
            name: test.name, file: test.file, line: test.line, passed: detail == nil, detail: detail ?? "",
            interference: interference)
    }

    private func failure(of rules: RuleSet) -> String? {
        RuleTestRunner(rules: rules, test: test, context: context).firstFailure()
    }

    /// The rule of another file without which the test has another result. If no single rule makes the
    /// difference, the first one that took part.
    private func interference(
        _ detail: String, isChanged: (RuleSet) -> Bool
    ) -> RuleTestInterference? {
        let evaluation = RuleTestRunner(rules: all, test: test, context: context).evaluation
        let rules = evaluation.matchedRules.compactMap { id in
            all.compiled.firstIndex { $0.info.id == id && !files.contains($0.info.file) }
        }
        let protections = all.protections.filter {
            $0.name == evaluation.protection && !files.contains($0.file)
        }
        func made(_ name: String, _ file: String, _ line: Int) -> RuleTestInterference {
            .init(rule: subject, other: name, otherFile: file, otherLine: line, detail: detail)
        }
        func made(_ rule: RuleInfo) -> RuleTestInterference { made(rule.id, rule.file, rule.line) }
        func made(_ protection: Protection) -> RuleTestInterference {
            made(protection.name, protection.file, protection.line)
        }
        if let index = rules.first(where: { isChanged(all.without($0)) }) {
            return made(all.compiled[index].info)
        }
        if let found = protections.first(where: { isChanged(all.without($0)) }) { return made(found) }
        return rules.first.map { made(all.compiled[$0].info) } ?? protections.first.map { made($0) }
    }

    /// The rule that the test is about: the rule that it expects, otherwise the rule that acts, otherwise the
    /// rule that the previous test expects, otherwise the first rule of the file.
    private var subject: String {
        if let named = Self.rule(expectedBy: test) { return named }
        let evaluation = RuleTestRunner(rules: alone, test: test, context: context).evaluation
        if let acting = evaluation.matchedRules.last { return acting }
        let before = all.tests.filter { $0.file == test.file && $0.line <= test.line }
        if let near = before.reversed().lazy.compactMap({ Self.rule(expectedBy: $0) }).first { return near }
        return all.compiled.first(where: { $0.info.file == test.file })?.info.id
            ?? all.protections.first(where: { $0.file == test.file })?.name ?? test.name
    }

    private static func rule(expectedBy test: RuleTest) -> String? {
        for expectation in test.expected {
            switch expectation {
            case .rule(let id?): return id
            case .protectedBy(let name): return name
            case .rule, .disposition, .action: continue
            }
        }
        return nil
    }
}

extension RuleSet {
    /// A warning for each pair of rules where one changes the result of a test of the other.
    public static func warnings(of results: [RuleTestResult]) -> [Diagnostic] {
        var pairs: [[String]: (first: RuleTestResult, found: RuleTestInterference, count: Int)] = [:]
        var order: [[String]] = []
        for result in results {
            guard let found = result.interference else { continue }
            let kind = found.detail.isEmpty ? "only beside" : "changed"
            let pair = [result.file, found.rule, found.otherFile, found.other, kind]
            if pairs[pair] == nil { order.append(pair) }
            pairs[pair, default: (result, found, 0)].count += 1
        }
        return order.compactMap { pairs[$0] }.map { first, found, count in
            Diagnostic(
                .warning, code: found.detail.isEmpty ? "R091" : "R090", file: first.file, line: first.line,
                column: 1,
                message: found.words + " (test '\(first.name)'"
                    + (count > 1 ? " and \(counted(Int64(count - 1), "other")))" : ")"),
                suggestion: found.detail.isEmpty
                    ? "name the rule in the test: expect: { rule: \(found.other) }" : nil)
        }
    }
}
