import Accounts
import Models
import Rules

/// Tests the rules together with one more file, or after an edit.
struct RuleTrial {
    let library: RuleLibrary
    let results: [RuleTestResult]
    /// The new file, as named in findings.
    let file: String

    init(_ workspace: Workspace, now: Timestamp, edit: RuleEdit, file: String) {
        self.init(workspace, now, edit.source, file)
    }

    /// Adds one file to the rules folder.
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

    /// The failing tests of the new file: name and reason.
    var failures: [String: String] {
        if let error = library.errors.first { return ["takes mail": error.message] }
        return Dictionary(
            results.filter { $0.file == file && !$0.passed }.map { ($0.name, $0.detail) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The tests of the new file that fail, alone or together with the other files.
    var doubtful: Set<String> {
        Set(results.filter { $0.file == file && (!$0.passed || $0.interference != nil) }.map(\.name))
    }

    /// A sentence about an earlier rule that matches the mail of the new one; nil: there is none.
    var interference: String? {
        results.first { $0.file == file && $0.name.contains("takes mail") && $0.interference != nil }?
            .interference?.words
    }

    /// The effect of the new file on the first affected test of another file.
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
