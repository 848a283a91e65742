import Models
import YAMLSource

/// Reads `save-attachment:`: nothing, a folder, or a mapping with the folder and patterns of names and types.
struct SavingReader {
    let report: Report

    private static let longestFolder = 200

    func read(_ node: YAMLNode) -> SavingTemplate? {
        if node.isEmpty { return SavingTemplate() }
        guard let pairs = node.mapping else {
            return folder(node, "'save-attachment'").map { SavingTemplate(folder: $0) }
        }
        report.checkKeys(pairs, ActionTable.savingFields, code: "R014", "field of 'save-attachment'")
        var result = SavingTemplate()
        if let place = node["to"] {
            guard let folder = folder(place, "'to'") else { return nil }
            result.folder = folder
        }
        if let names = node["name"] { result.names = patterns(names, "'name'") }
        if let types = node["type"] { result.types = patterns(types, "'type'") }
        return result
    }

    private func patterns(_ node: YAMLNode, _ what: String) -> [NameMatcher] {
        if node.sequence?.isEmpty ?? false { report.error("R003", node, "the list of \(what) is empty") }
        return report.texts(node, what).compactMap { text, item in
            guard text.contains("*") || text.contains("?") else { return .name(text.folded) }
            if let glob = try? Pattern.glob(text) { return .glob(glob) }
            report.error("R021", item, "'\(text)' is too long")
            return nil
        }
    }

    /// A folder below the attachments folder, and nowhere else.
    private func folder(_ node: YAMLNode, _ what: String) -> String? {
        guard let text = report.text(node, what) else { return nil }
        guard let reason = Self.refusal(of: text) else { return text }
        report.error("R020", node, reason, "a folder below the attachments folder: Invoices/2026")
        return nil
    }

    private static func refusal(of text: String) -> String? {
        if text.contains("{{") { return "a folder cannot be named by the mail" }
        if text.hasPrefix("/") || text.hasPrefix("~") {
            return "'\(text)' is a path of its own; attachments.path in opus.yaml says where files go"
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.contains("..") { return "'\(text)' leads out of the attachments folder" }
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && !part.hasPrefix(".") && SafeFileName.make(String(part)) == part
        }
        return isPlain && text.utf8.count <= longestFolder ? nil : "'\(text)' cannot be a folder"
    }
}
