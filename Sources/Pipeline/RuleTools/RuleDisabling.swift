import Accounts
import Models
import YAMLSource

/// Disables a rule in its file: `enabled: false`.
extension Workspace {
    func disabling(rule id: String) throws -> RuleEdit {
        for file in try ruleDocuments() {
            guard let rule = Self.rule(id, in: file.document.root?["rules"]) else { continue }
            var editor = YAMLEditor(file.text)
            let isEdited =
                if let enabled = rule["enabled"] {
                    editor.replace(enabled, with: "false")
                } else {
                    // The first key may follow the dash of the list.
                    rule.mapping?.dropFirst().first.map { editor.insert("enabled: false", before: $0.key) }
                        ?? false
                }
            guard isEdited else {
                throw Problem(
                    "cannot-edit", exit: .badData,
                    message: "the rule \(id) is written in a form that opus cannot edit",
                    place: "\(file.shown):\(rule.line)", next: ["write enabled: false there"])
            }
            return RuleEdit(
                workspace: self,
                files: [.init(path: file.path, shown: file.shown, old: file.text, new: editor.text)])
        }
        throw Problem(
            "no-such-rule", exit: .notFound, message: "no rule has the id \"\(id)\"",
            next: ["opus rules list"])
    }

    /// Searches the rules of a list, including those of its groups.
    private static func rule(_ id: String, in list: YAMLNode?) -> YAMLNode? {
        for entry in list?.sequence ?? [] {
            if entry["id"]?.scalar == id { return entry }
            for (_, group) in entry.mapping ?? [] {
                if let found = group.sequence?.first(where: { $0["id"]?.scalar == id }) { return found }
            }
        }
        return nil
    }
}
