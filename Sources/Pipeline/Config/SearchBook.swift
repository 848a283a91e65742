import Accounts
import Models
import Rules

/// The saved searches of `opus.yaml`: shows, saves and removes them. It needs no store.
public struct SearchBook: Sendable {
    private let tool: ConfigTool

    /// - Throws: ``Problem`` if the workspace is missing or its `opus.yaml` cannot be read.
    public init(_ options: SessionOptions) throws {
        tool = try ConfigTool(options)
    }

    /// Sorted by name.
    public var all: [(name: String, query: String)] {
        (tool.workspace?.searches ?? [:]).sorted { $0.key < $1.key }.map { (name: $0.key, query: $0.value) }
    }

    /// Saves a query, and replaces an existing one with the same name.
    ///
    /// - Throws: ``Problem`` if the name is invalid; ``DiagnosticFailure`` if the query has an error.
    public func save(_ name: String, _ query: String) throws {
        guard SearchName.isValid(name) else {
            throw Problem(
                "bad-search-name", exit: .usage, message: "\"\(name)\" cannot be the name of a search",
                next: ["use letters, digits, - and _"])
        }
        guard !query.isEmpty else {
            throw Problem(
                "no-query", exit: .usage, message: "the query is empty",
                next: ["opus search --save \(name) from:ana"])
        }
        guard let workspace = tool.workspace else {
            throw DiagnosticFailure(tool.findings, exit: .configuration)
        }
        // Adds the new search first, so that a search that refers to itself is detected before it is saved.
        var searches = workspace.searches
        searches[name] = query
        let rules = RuleLibrary.load(workspace).rules.knowing(searches: searches)
        for text in [query, "query:\(name)"] {
            if case .failure(let errors) = Query.parse(text, rules: rules) {
                throw DiagnosticFailure(errors.diagnostics, exit: .usage)
            }
        }
        _ = try tool.set("searches.\(name)", to: query)
    }

    /// - Throws: ``Problem`` if no search has that name, or if opus cannot edit the file in its present form.
    public func remove(_ name: String) throws {
        guard all.contains(where: { $0.name == name }) else {
            throw Problem(
                "no-such-search", exit: .notFound, message: "no search is called \"\(name)\"",
                next: ["opus search --saved"])
        }
        try tool.unset(["searches", name])
    }
}
