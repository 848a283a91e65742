public import Accounts
import Models
import Rules
import YAMLSource

/// Adds entries to an address list, in a rule file or in a separate file.
extension Workspace {
    /// The edit that adds the entries; existing entries are skipped.
    ///
    /// - Returns: The edit, and the new entries.
    public func adding(_ entries: [String], toList typed: String) throws -> (edit: RuleEdit, added: [String])
    {
        let name = typed.hasPrefix("@") ? String(typed.dropFirst()) : typed
        for entry in entries where !ListEntry.isValid(entry) {
            throw Problem(
                "bad-address", exit: .usage, message: "\"\(entry)\" cannot be an entry of a list",
                next: ["ana@example.org", "@example.org", "'*@example.org'"])
        }
        let documents = try ruleDocuments()
        for file in documents {
            guard let list = file.document.root?["lists"]?[name] else { continue }
            if let name = (list["file"] ?? nil)?.scalar { return try adding(entries, toFile: name) }
            let known = (list.sequence ?? [list]).compactMap(\.scalar)
            let fresh = Self.fresh(entries, known: known)
            var editor = YAMLEditor(file.text)
            guard fresh.isEmpty || editor.append(fresh, to: list) else {
                throw Problem(
                    "cannot-edit", exit: .badData,
                    message: "the list '@\(name)' is written in a form that opus cannot add to",
                    place: "\(file.shown):\(list.line)", next: ["write it as a list, one entry a line"])
            }
            let edit = RuleEdit(
                workspace: self,
                files: fresh.isEmpty
                    ? [] : [.init(path: file.path, shown: file.shown, old: file.text, new: editor.text)])
            return (edit, fresh)
        }
        let names = documents.flatMap { $0.document.root?["lists"]?.mapping?.compactMap(\.key.scalar) ?? [] }
        throw Problem(
            "no-such-list", exit: .notFound, message: "no rule file has a list '@\(name)'",
            next: names.isEmpty
                ? ["write it under lists: in a rule file (opus help rules)"]
                : ["one of: " + names.sorted().map { "@" + $0 }.joined(separator: ", ")])
    }

    private func adding(_ entries: [String], toFile name: String) throws -> (edit: RuleEdit, added: [String])
    {
        let source = RuleSource.folder(rulesFolder, shownBelow: root)
        guard !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else {
            throw Problem(
                "cannot-edit", exit: .badData, message: "the list's file is outside of the workspace: \(name)"
            )
        }
        for path in [name, "../" + name] {
            guard case .success(let old) = source.read(path) else { continue }
            let known = old.replacing("\u{FEFF}", with: "").split(whereSeparator: \.isNewline)
                .map { String($0.prefix { $0 != "#" }) }
            let fresh = Self.fresh(entries, known: known)
            let lineEnd = old.fileLines.first?.hasSuffix("\r") ?? false ? "\r\n" : "\n"
            let start = old.isEmpty || old.unicodeScalars.last == "\n" ? old : old + lineEnd
            let new = start + fresh.map { $0 + lineEnd }.joined()
            let shown = path.hasPrefix("../") ? name : source.shownName(name)
            let edit = RuleEdit(
                workspace: self,
                files: fresh.isEmpty
                    ? [] : [.init(path: rulesFolder + "/" + path, shown: shown, old: old, new: new)])
            return (edit, fresh)
        }
        throw Problem(
            "no-such-file", exit: .notFound, message: "the list's file \(name) does not exist",
            place: rulesFolder)
    }

    private static func fresh(_ entries: [String], known: [String]) -> [String] {
        var seen = Set(known.map { ListEntry.comparable($0) })
        return entries.filter { seen.insert(ListEntry.comparable($0)).inserted }
    }
}
