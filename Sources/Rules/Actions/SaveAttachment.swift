import Models
import YAMLSource

/// `save-attachment: Invoices`: saves attached files of the message in a folder below the attachments folder.
struct SaveAttachmentAction: ActionTemplate {
    static let entry = ActionEntry(
        .saveAttachment, value: "nothing, or a folder", form: .text, fields: ["to", "name", "type"],
        help: "save its files below the attachments folder",
        example: "save-attachment: { to: Invoices, name: '*.pdf' }")

    /// A path below the attachments folder; empty: the attachments folder itself. Checked, and never a
    /// template: untrusted text must not choose where a file goes.
    var folder = ""
    /// Patterns of names and of MIME types; empty: any.
    var names: [NameMatcher] = []
    var types: [NameMatcher] = []

    static var plain: Self? { Self() }

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        SavingReader(report: source.report).read(node).map { [$0] } ?? []
    }

    /// Without a pattern, the files that users see as attachments; pictures inside the text only if the
    /// pattern includes them.
    private func wants(_ file: Attachment) -> Bool {
        if names.isEmpty, types.isEmpty { return !file.isInline }
        return (names.isEmpty || names.contains { $0.matches(file.name) })
            && (types.isEmpty || types.contains { $0.matches(file.contentType) })
    }

    func make(_ maker: inout ActionMaker) -> Action? {
        let files = maker.rendering.view.facts.attachments
        let wanted = files.filter(wants)
        guard !wanted.isEmpty else {
            return maker.fail(
                files.isEmpty
                    ? "saves files, but the message has none"
                    : "saves files, but the message has no such file")
        }
        guard wanted.count <= SavedFiles.mostFiles else {
            return maker.fail(
                "saves \(wanted.count) files, but opus saves at most \(SavedFiles.mostFiles) of a message")
        }
        if let large = wanted.first(where: { $0.size > SavedFiles.largestFile }) {
            return maker.fail(
                "saves '\(large.name)', which is larger than \(SavedFiles.largestFile >> 20) MB")
        }
        return .saveFiles(
            SavedFiles(
                folder: folder,
                files: wanted.map { file in
                    .init(section: file.section, name: SafeFileName.make(file.name), size: file.size)
                }))
    }

    static let expectation: ActionExpectation? = .init(key: "save-attachment") { node, report in
        let paths = report.texts(node, "a file").map(\.text).joined(separator: ", ")
        return { outcome in
            let found = outcome.all {
                if case .make(.saveFiles(let saving)) = $0 {
                    saving.paths.joined(separator: ", ")
                } else {
                    nil
                }
            }
            return outcome.unlike("save-attachment", paths, found)
        }
    }
}

/// Reads the value: nothing, a folder, or a mapping with the folder and patterns of names and types.
private struct SavingReader {
    let report: Report

    private static let longestFolder = 200

    func read(_ node: YAMLNode) -> SaveAttachmentAction? {
        if node.isEmpty { return SaveAttachmentAction() }
        guard let pairs = node.mapping else {
            return folder(node, "'save-attachment'").map { SaveAttachmentAction(folder: $0) }
        }
        report.checkKeys(
            pairs, SaveAttachmentAction.entry.fields, code: "R014", "field of 'save-attachment'")
        var result = SaveAttachmentAction()
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

    /// A folder below the attachments folder; other paths are errors.
    private func folder(_ node: YAMLNode, _ what: String) -> String? {
        guard let text = report.text(node, what) else { return nil }
        guard let reason = Self.refusal(of: text) else { return text }
        report.error("R020", node, reason, "a folder below the attachments folder: Invoices/2026")
        return nil
    }

    private static func refusal(of text: String) -> String? {
        if text.contains("{{") { return "the name of a folder cannot contain a template" }
        if text.hasPrefix("/") || text.hasPrefix("~") {
            return "'\(text)' is not a relative path; attachments.path in opus.yaml sets the folder for files"
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.contains("..") { return "'\(text)' leads out of the attachments folder" }
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && !part.hasPrefix(".") && SafeFileName.make(String(part)) == part
        }
        return isPlain && text.utf8.count <= longestFolder ? nil : "'\(text)' cannot be a folder"
    }
}
