import Accounts
import Models
import Rules

/// The rules as they would be with another file, and what their tests come to.
struct RuleTrial {
    let library: RuleLibrary
    let results: [RuleTestResult]
    /// The file that is new, as findings name it.
    let file: String

    init(_ session: Session, edit: RuleEdit, file: String) {
        self.init(session, edit.source, file)
    }

    /// With one more file in the rules folder.
    init(_ session: Session, file name: String, text: String) {
        let folder = RuleSource.folder(session.workspace.rulesFolder, shownBelow: session.workspace.root)
        let source = RuleSource(
            title: folder.title, names: RuleSource.ruleFiles(Array(Set(folder.names + [name]))),
            shownName: folder.shownName, read: { $0 == name ? .success(text) : folder.read($0) })
        self.init(session, source, name)
    }

    private init(_ session: Session, _ source: RuleSource, _ name: String) {
        library = RuleLibrary.load(source, session.workspace)
        results = library.errors.isEmpty ? library.rules.runTests(context: session.testContext()) : []
        file = source.shownName(name)
    }

    /// The tests of the new file that fail: name and reason.
    var failures: [String: String] {
        if let error = library.errors.first { return ["takes mail": error.message] }
        return Dictionary(
            results.filter { $0.file == file && !$0.passed }.map { ($0.name, $0.detail) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The tests of the new file that fail, or would fail if the other files took part.
    var doubtful: Set<String> {
        Set(results.filter { $0.file == file && (!$0.passed || $0.interference != nil) }.map(\.name))
    }

    /// A rule above that takes the mail of the new one.
    var interference: String? {
        results.first { $0.file == file && $0.name.contains("takes mail") && $0.interference != nil }?
            .interference?.words
    }

    /// What the new file does to the first test of another one.
    func consequence(for before: [RuleTestResult]) -> String? {
        let known = Set(before.filter { !$0.passed || $0.interference != nil }.map { [$0.file, $0.name] })
        for result in results where result.file != file && !known.contains([result.file, result.name]) {
            let place = "\(result.file):\(result.line): with this rule "
            if !result.passed { return place + "another test fails: \(result.name): \(result.detail)" }
            if let found = result.interference {
                return place
                    + "a test of '\(found.rule)' comes out differently: \(result.name): \(found.detail)"
            }
        }
        return nil
    }
}

extension Session {
    /// How many messages other rules would do something else with, and how many were judged, each as it arrived: the mail of
    /// the account that the query finds, and the messages of `ids`, wherever they are now.
    func differences(
        from old: RuleSet, to new: RuleSet, account: Account, query: Query, ids: [EmailID]
    ) throws -> (different: Int, messages: Int) {
        var work = RuleComparing(old: old, new: new, samples: 0, asTheyStand: false)
        let reader = reader(for: old, new)
        var context = try ruleContext(for: account)
        context.autoReplies = [:]
        let sides = work.sides(in: context, account: account.id)
        let surroundings = try OldSurroundings(
            self, account, context, old.needs.union(new.needs), asTheyStand: false)
        var seen: Set<EmailID> = []
        func judge(_ found: [MessageFacts], having: FactNeeds) throws {
            let messages = found.filter { seen.insert($0.id).inserted }
            guard !messages.isEmpty else { return }
            if let context = try surroundings?.context(for: messages) {
                sides.old.surround(by: context)
                sides.new.surround(by: context)
            }
            try work.judge(messages, having: having, by: sides, reading: reader)
        }
        try history(of: account, matching: query) {
            try judge($0, having: query.needs.intersection(.content))
        }
        try eachSlice(of: ids) { try judge($0, having: []) }
        return (work.acted, work.messages)
    }
}
