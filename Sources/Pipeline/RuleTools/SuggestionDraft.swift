import Accounts
import Models
import RuleImport
import Rules
import YAMLSource

/// Collects suggestions. Each one is tested before it is accepted: the rules must be valid with it, its tests
/// must pass together with the other rules, and it must change what happens to at least one message of the
/// last 90 days.
struct SuggestionDraft {
    let workspace: Workspace
    let oldMail: OldMail
    let now: Timestamp
    /// The file for new rules and tests.
    let file: String
    /// The rules with the suggestions that were accepted so far.
    private var library: RuleLibrary
    private(set) var rules: [RuleFromMail] = []
    private(set) var suggestions: [RuleSuggestions.Suggestion] = []
    private var tests: [(name: String, lines: [String])] = []
    /// Exceptions in existing files.
    private var exceptions: RuleEdit

    private static let head = [
        "Suggested by opus rules suggest, from what you did by hand. Read it before you use it."
    ]

    init(workspace: Workspace, oldMail: OldMail, now: Timestamp, library: RuleLibrary, file: String) {
        self.workspace = workspace
        self.oldMail = oldMail
        self.now = now
        self.library = library
        self.file = file
        exceptions = RuleEdit(workspace: workspace)
    }

    /// The whole edit: the exceptions and the new file.
    var edit: RuleEdit {
        var edit = exceptions
        guard !rules.isEmpty || !tests.isEmpty else { return edit }
        edit.files.append(
            .init(
                path: workspace.rulesFolder + "/" + file, shown: "rules/" + file, old: "",
                new: RuleFromMail.file(rules, head: Self.head, tests: tests.map(\.lines))))
        return edit
    }

    /// Accepts the candidate if it passes.
    mutating func consider(_ candidate: RuleCandidate) throws {
        var next = self
        guard try next.add(candidate) else {
            exceptions.notes = next.exceptions.notes
            return
        }
        var trial = RuleTrial(workspace, now: now, edit: next.edit, file: file)
        guard trial.library.errors.isEmpty else { return }
        let doubtful = trial.doubtful
        if !doubtful.isEmpty {
            next.leaveOut(doubtful)
            trial = RuleTrial(workspace, now: now, edit: next.edit, file: file)
        }
        guard trial.library.errors.isEmpty, trial.results.allSatisfy(\.passed) else { return }
        let found = try oldMail.differences(
            from: library.rules, to: trial.library.rules, account: candidate.account,
            query: try QuerySpan.parse("newer:90d " + candidate.kind.query, rules: library.rules).query,
            ids: candidate.suggestion.messages)
        guard found.different > 0 else { return }
        var suggestion = candidate.suggestion
        (suggestion.changes, suggestion.looked) = found
        next.suggestions.append(suggestion)
        next.library = trial.library
        self = next
    }

    /// Adds the candidate; false: it makes no difference.
    private mutating func add(_ candidate: RuleCandidate) throws -> Bool {
        switch candidate.change {
        case .rule(let rule): rules.append(rule)
        case .exception(let name, let test):
            guard try except(candidate.kind.query, candidate.suggestion.rule) else { return false }
            tests.append((name, test))
        }
        return true
    }

    private mutating func leaveOut(_ names: Set<String>) {
        for index in rules.indices { rules[index].keepTests { !names.contains($0) } }
        tests.removeAll { names.contains($0.name) }
    }

    /// Adds to a rule's `unless`; false: the rule does not exist, or already has the exception.
    private mutating func except(_ query: String, _ rule: String) throws -> Bool {
        for file in try workspace.ruleDocuments() {
            let (path, shown, old) = (file.path, file.shown, file.text)
            let place = exceptions.files.firstIndex { $0.path == path }
            let text = place.map { exceptions.files[$0].new } ?? old
            guard let root = YAMLDocument.read(file: shown, text: text).document?.root,
                let node = (root["rules"]?.sequence ?? []).flatMap({ $0["choose"]?.sequence ?? [$0] })
                    .first(where: { $0["id"]?.scalar == rule })
            else { continue }
            var editor = YAMLEditor(text)
            let isDone: Bool
            if let unless = node["unless"] {
                guard let words = unless.scalar else {
                    exceptions.notes.append(
                        "\(shown):\(unless.line): add 'or \(query)' to the exceptions of \(rule)")
                    return false
                }
                if words.contains(query) { return false }
                isDone = editor.replace(unless, with: YAMLEditor.quoted("(\(words)) or \(query)"))
            } else if let then = node.mapping?.first(where: { $0.key.scalar == "then" })?.key {
                isDone = editor.insert("unless: \(YAMLEditor.quoted(query))", before: then)
            } else {
                isDone = false
            }
            guard isDone else {
                exceptions.notes.append("\(shown):\(node.line): add 'unless: \(query)' to \(rule)")
                return false
            }
            let file = RuleEdit.File(path: path, shown: shown, old: old, new: editor.text)
            if let place { exceptions.files[place] = file } else { exceptions.files.append(file) }
            return true
        }
        return false
    }
}
