public import Accounts
import Models
import Rules
import YAMLSource

/// Renames a mailbox in the rules, in place: `move:`, `in:`, `mailboxes:` and the expectations of tests.
extension Workspace {
    /// The edit that replaces the mailbox name `old` with `new` in every rule file, ignoring case.
    public func renaming(mailbox old: String, to new: String) throws -> RuleEdit {
        for name in [old, new] {
            guard !name.isEmpty, name.utf8.count <= 500,
                !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else {
                throw Problem(
                    "bad-mailbox", exit: .usage, message: "\"\(name)\" cannot be the name of a mailbox")
            }
        }
        var edit = RuleEdit(workspace: self)
        for file in try ruleDocuments() {
            guard let root = file.document.root else { continue }
            var renaming = MailboxRenaming(
                old: old, new: new, editor: YAMLEditor(file.text), file: file.shown)
            renaming.walk(root)
            edit.notes += renaming.notes
            let text = renaming.editor.text
            if text != file.text {
                edit.files.append(.init(path: file.path, shown: file.shown, old: file.text, new: text))
            }
        }
        return edit
    }
}

/// Renames mailboxes in one file.
private struct MailboxRenaming {
    let old: String
    let new: String
    var editor: YAMLEditor
    let file: String
    var notes: [String] = []

    /// From the end of the file to its beginning, so that positions stay valid.
    mutating func walk(_ root: YAMLNode) {
        var found: [(node: YAMLNode, isQuery: Bool)] = []
        Self.collect(root, key: nil, into: &found)
        for item in found.sorted(by: { ($0.node.line, $0.node.column) > ($1.node.line, $1.node.column) }) {
            if item.isQuery { renameInQuery(item.node) } else { rename(item.node) }
        }
    }

    private static let names: Set<String> = ["move", "copy", "in", "mailboxes"]
    /// Texts under these keys are queries.
    private static let queries: Set<String> = [
        "when", "unless", "all", "any", "not", "thread:has", "define", "protect",
    ]

    private static func collect(
        _ node: YAMLNode, key: String?, into found: inout [(node: YAMLNode, isQuery: Bool)]
    ) {
        switch node.kind {
        case .scalar:
            guard let key else { return }
            if names.contains(key) { found.append((node, false)) }
            if queries.contains(key) { found.append((node, true)) }
        case .sequence(let nodes): for node in nodes { collect(node, key: key, into: &found) }
        case .mapping(let pairs):
            // The keys under these two are names that the user chose.
            let isNaming = key == "define" || key == "protect"
            for (name, value) in pairs {
                // `move: { to: … }` names a mailbox like `move: …`.
                let isDestination = key == "move" && name.scalar == "to"
                collect(value, key: isNaming || isDestination ? key : name.scalar, into: &found)
            }
        }
    }

    private mutating func rename(_ node: YAMLNode) {
        guard let text = node.scalar, text.lowercased() == old.lowercased() else { return }
        if !editor.replace(node, with: YAMLEditor.quoted(new)) { leave(node) }
    }

    /// Replaces `in:Old` and `in:"Old"` at the start of a term.
    private mutating func renameInQuery(_ node: YAMLNode) {
        guard let text = node.scalar, let renamed = QueryRenaming.renamed(text, mailbox: old, to: new) else {
            return
        }
        // Keeps the quoting style if the new name is a plain word.
        let source = editor.source(of: node)
        let isWord = !renamed.contains { $0 == "\"" || $0 == "\\" }
        let spelled =
            switch source {
            case text where isWord: renamed
            case "\"\(text)\"" where isWord: "\"\(renamed)\""
            case _: YAMLEditor.quoted(renamed)
            }
        if !editor.replace(node, with: spelled) { leave(node) }
    }

    private mutating func leave(_ node: YAMLNode) {
        notes.append("\(file):\(node.line): the value spans several lines; change it by hand")
    }
}
