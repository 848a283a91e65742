import Models
import YAMLSource

/// The findings of one file, at most 20: more findings usually have one cause.
final class Report {
    static let maximum = 20

    let document: YAMLDocument
    private var found: [Diagnostic] = []
    private var unshown = 0

    /// Sorted by position.
    var diagnostics: [Diagnostic] {
        let inOrder = found.enumerated().sorted {
            ($0.element.line, $0.element.column, $0.offset) < ($1.element.line, $1.element.column, $1.offset)
        }.map(\.element)
        guard unshown > 0 else { return inOrder }
        let words = unshown == 1 ? "one more finding is" : "\(unshown) more findings are"
        let more = Diagnostic(
            .warning, code: "R004", file: file,
            message: "\(words) not shown: at most \(Self.maximum) are shown for a file")
        return inOrder + [more]
    }

    init(_ document: YAMLDocument) { self.document = document }

    var file: String { document.file }

    private func add(_ diagnostic: Diagnostic) {
        guard !found.contains(diagnostic) else { return }
        if found.count >= Self.maximum {
            unshown += 1
            // An error must not be dropped because of warnings: without an error, triage would run.
            guard diagnostic.severity == .error,
                let warning = found.lastIndex(where: { $0.severity == .warning })
            else { return }
            found.remove(at: warning)
        }
        found.append(diagnostic)
    }

    func error(_ code: String, _ node: YAMLNode, _ message: String, _ suggestion: String? = nil) {
        add(document.diagnostic(code: code, at: node, message: message, suggestion: suggestion))
    }

    func warning(_ code: String, _ node: YAMLNode, _ message: String, _ suggestion: String? = nil) {
        add(document.diagnostic(.warning, code: code, at: node, message: message, suggestion: suggestion))
    }

    /// A file without content, as a full disk or an interrupted editor leaves it: its protections would be lost silently.
    func emptyFile() {
        add(
            Diagnostic(
                code: "R001", file: file, line: 1, column: 1, message: "the file is empty",
                suggestion: "begin the file with rules-version: 1, or remove it"))
    }

    /// A problem inside a scalar.
    func add(_ problem: QueryProblem, in node: YAMLNode) {
        add(
            document.diagnostic(
                problem.isWarning ? .warning : .error, code: problem.code, in: node, offset: problem.offset,
                length: problem.length, message: problem.message, suggestion: problem.suggestion))
    }

    func add(_ problem: Template.Problem, in node: YAMLNode) {
        add(
            document.diagnostic(
                code: problem.code, in: node, offset: problem.offset, length: problem.length,
                message: problem.message, suggestion: problem.suggestion))
    }

    // MARK: Node kinds

    /// The text of a node; other kinds of nodes are errors.
    func text(_ node: YAMLNode, _ what: String) -> String? {
        if let text = node.scalar, !node.isEmpty { return text }
        error("R002", node, "\(what) must be text, not \(node.kindName)")
        return nil
    }

    func mapping(_ node: YAMLNode, _ what: String) -> [(key: YAMLNode, value: YAMLNode)]? {
        if let pairs = node.mapping { return pairs }
        if node.isEmpty { return [] }
        error("R002", node, "\(what) must be a mapping, not \(node.kindName)")
        return nil
    }

    func sequence(_ node: YAMLNode, _ what: String) -> [YAMLNode]? {
        if let nodes = node.sequence { return nodes }
        if node.isEmpty { return [] }
        error("R002", node, "\(what) must be a list, not \(node.kindName)", "begin each entry with '- '")
        return nil
    }

    /// One text or a list of them.
    func texts(_ node: YAMLNode, _ what: String) -> [(text: String, node: YAMLNode)] {
        (node.sequence ?? [node]).compactMap { item in text(item, what).map { ($0, item) } }
    }

    func bool(_ node: YAMLNode, _ what: String) -> Bool? {
        switch node.scalar {
        case "true", "yes": return true
        case "false", "no": return false
        case _:
            error("R020", node, "\(what) must be true or false")
            return nil
        }
    }

    /// Reports unknown keys; returns whether all keys are known.
    @discardableResult
    func checkKeys(
        _ pairs: [(key: YAMLNode, value: YAMLNode)], _ known: [String], code: String, _ what: String
    ) -> Bool {
        var allKnown = true
        for (key, _) in pairs {
            guard let name = key.scalar, !known.contains(name) else { continue }
            allKnown = false
            let similar = nearest(to: name, among: known)
            error(
                code, key, "unknown \(what) '\(name)'",
                similar.map { "did you mean '\($0)'?" } ?? "one of: \(known.joined(separator: ", "))")
        }
        return allKnown
    }

    func template(_ node: YAMLNode, _ what: String, captures: Set<String>) -> Template? {
        guard let text = text(node, what) else { return nil }
        do {
            return try Template(text, captures: captures)
        } catch {
            add(error, in: node)
            return nil
        }
    }

    /// A template for a date; if it has no placeholders, it is checked now.
    func date(_ node: YAMLNode, _ what: String, captures: Set<String>) -> Template? {
        guard let template = template(node, what, captures: captures) else { return nil }
        if let phrase = template.constant, !DatePhrase.isValid(phrase) {
            error(
                "R022", node, "'\(phrase)' is not a date",
                "tomorrow, friday 17:00, +3 business days, 2026-03-31"
            )
            return nil
        }
        return template
    }
}
