public import Accounts
import Models
import YAMLSource

/// Renaming a mailbox in the rules: `move:`, `in:`, `mailboxes:` and what tests expect, in place.
extension Workspace {
    /// The edit that makes every rule file name `new` where it named `old`, whatever its case.
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
        for (_, path, shown, document) in ruleDocuments() {
            guard let root = document.root else { continue }
            var renaming = MailboxRenaming(old: old, new: new, editor: YAMLEditor(document.text), file: shown)
            renaming.walk(root)
            edit.notes += renaming.notes
            let text = renaming.editor.text
            if text != document.text {
                edit.files.append(.init(path: path, shown: shown, old: document.text, new: text))
            }
        }
        return edit
    }
}

/// One file while its mailboxes are renamed.
private struct MailboxRenaming {
    let old: String
    let new: String
    var editor: YAMLEditor
    let file: String
    var notes: [String] = []

    /// From the end of the file to its beginning, so that places stay true.
    mutating func walk(_ root: YAMLNode) {
        var found: [(node: YAMLNode, isQuery: Bool)] = []
        Self.collect(root, key: nil, into: &found)
        for item in found.sorted(by: { ($0.node.line, $0.node.column) > ($1.node.line, $1.node.column) }) {
            if item.isQuery { renameInQuery(item.node) } else { rename(item.node) }
        }
    }

    private static func collect(
        _ node: YAMLNode, key: String?, into found: inout [(node: YAMLNode, isQuery: Bool)]
    ) {
        switch node.kind {
        case .scalar: found.append((node, !["move", "in", "mailboxes"].contains(key)))
        case .sequence(let nodes): for node in nodes { collect(node, key: key, into: &found) }
        case .mapping(let pairs):
            for (name, value) in pairs where name.scalar != "mail" || value.mapping != nil {
                let isText = ["description", "name", "text", "body", "subject", "notes", "note", "title"]
                if isText.contains(name.scalar ?? "") { continue }
                collect(value, key: name.scalar, into: &found)
            }
        }
    }

    private mutating func rename(_ node: YAMLNode) {
        guard let text = node.scalar, text.lowercased() == old.lowercased() else { return }
        if !editor.replace(node, with: YAMLEditor.quoted(new)) { leave(node) }
    }

    /// `in:Old`, `in:=Old` and `in:"Old"` where a term begins.
    private mutating func renameInQuery(_ node: YAMLNode) {
        guard let text = node.scalar, text.lowercased().contains("in:") else { return }
        guard let source = editor.source(of: node) else {
            if text.lowercased().contains("in:" + old.lowercased())
                || text.lowercased().contains("in:\"" + old.lowercased())
            {
                leave(node)
            }
            return
        }
        let isDouble = source.hasPrefix("\"")
        let quote = isDouble ? "\\\"" : "\""
        let plainNew =
            new.contains { !($0.isLetter || $0.isNumber || "-_./@".contains($0)) } ? quote + new + quote : new
        let spelled = source.hasPrefix("'") ? plainNew.replacing("'", with: "''") : plainNew
        var result = ""
        var rest = source[...]
        while let range = rest.range(ofPrefix: "in:") {
            let before =
                range.lowerBound == source.startIndex ? nil : source[source.index(before: range.lowerBound)]
            result += rest[..<range.upperBound]
            rest = rest[range.upperBound...]
            guard before.map({ " (-'\"".contains($0) }) ?? true else { continue }
            for form in [quote + old + quote, "=" + old, old]
            where rest.lowercased().hasPrefix(form.lowercased()) {
                let end = rest.index(rest.startIndex, offsetBy: form.count)
                guard end == rest.endIndex || " )'\"".contains(rest[end]) else { continue }
                result += spelled
                rest = rest[end...]
                break
            }
        }
        result += rest
        if result != source, !editor.replace(node, with: result) { leave(node) }
    }

    private mutating func leave(_ node: YAMLNode) {
        notes.append("\(file):\(node.line): stands on several lines; change it by hand")
    }
}

extension Substring {
    /// Where a text begins first, whatever its case.
    fileprivate func range(ofPrefix text: String) -> Range<Index>? {
        var index = startIndex
        while index < endIndex {
            if self[index...].prefix(text.count).lowercased() == text {
                return index..<self.index(index, offsetBy: text.count)
            }
            index = self.index(after: index)
        }
        return nil
    }
}
