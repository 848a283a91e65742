import Accounts
import Models
import Rules

/// The rules as they would be with another file, and the results of their tests.
struct RuleTrial {
    let library: RuleLibrary
    let results: [RuleTestResult]
    /// The file that is new, as findings name it.
    let file: String

    init(_ workspace: Workspace, now: Timestamp, edit: RuleEdit, file: String) {
        self.init(workspace, now, edit.source, file)
    }

    /// With one more file in the rules folder.
    init(_ workspace: Workspace, now: Timestamp, file name: String, text: String) {
        let folder = RuleSource.folder(workspace.rulesFolder, shownBelow: workspace.root)
        let source = RuleSource(
            title: folder.title, names: RuleSource.ruleFiles(Array(Set(folder.names + [name]))),
            shownName: folder.shownName, read: { $0 == name ? .success(text) : folder.read($0) })
        self.init(workspace, now, source, name)
    }

    private init(_ workspace: Workspace, _ now: Timestamp, _ source: RuleSource, _ name: String) {
        library = RuleLibrary.load(source, workspace)
        results =
            library.errors.isEmpty ? library.rules.runTests(context: workspace.ruleContext(now: now)) : []
        file = source.shownName(name)
    }

    /// The tests of the new file that fail: name and reason.
    var failures: [String: String] {
        if let error = library.errors.first { return ["takes mail": error.message] }
        return Dictionary(
            results.filter { $0.file == file && !$0.passed }.map { ($0.name, $0.detail) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The tests of the new file that fail, or would fail together with the other files.
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
                    + "a test of '\(found.rule)' has another result: \(result.name): \(found.detail)"
            }
        }
        return nil
    }
}
