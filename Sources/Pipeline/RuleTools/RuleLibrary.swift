public import Accounts
import Crypto
public import Models
public import Rules
import YAMLSource

/// The rule files of a workspace, compiled, with all findings.
public struct RuleLibrary: Sendable {
    public private(set) var rules: RuleSet
    public let diagnostics: [Diagnostic]
    /// SHA-256 of the names and bytes of the files and of the lists that they name. A plan with another
    /// digest is stale.
    public let digest: String
    /// The rules folder does not exist.
    var isMissing = false
    /// The files that could be read.
    let sources: [RuleSet.Source]
    /// The contents of the files of `lists:`, by their path in the rule file.
    let listTexts: [String: String]

    public var errors: [Diagnostic] { diagnostics.filter { $0.severity == .error } }

    /// The same files, whose rules do nothing.
    var withoutRules: RuleLibrary {
        var library = self
        library.rules = .empty
        return library
    }

    /// - Throws: ``Problem`` if no rule has this id.
    func require(_ rule: String) throws {
        let ids = rules.rules.map(\.id)
        guard !ids.contains(rule) else { return }
        throw Problem(
            "no-such-rule", exit: .notFound, message: "no rule has the id \"\(rule)\"",
            next: (nearest(to: rule, among: ids).map { ["did you mean \($0)?"] } ?? []) + ["opus rules list"])
    }

    /// The message for a folder without a rule file.
    public func emptiness(of workspace: Workspace) -> String {
        "\(workspace.rulesFolder) has no rule file (*.yaml or *.yml): nothing to check, and no mail is triaged"
    }

    /// Findings sorted by file and position.
    public func inOrder(_ findings: [Diagnostic]) -> [Diagnostic] {
        let files = Dictionary(sources.enumerated().map { ($1.file, $0) }) { first, _ in first }
        func place(_ finding: (offset: Int, element: Diagnostic)) -> (Int, Int, Int, Int) {
            let diagnostic = finding.element
            // A diagnostic about omitted findings is at the end of its file.
            let line = diagnostic.code == "R004" ? Int.max : diagnostic.line
            return (files[diagnostic.file] ?? -1, line, diagnostic.column, finding.offset)
        }
        return findings.enumerated().sorted { place($0) < place($1) }.map(\.element)
    }

    /// The rules for a command that requires the rules folder.
    public static func required(_ workspace: Workspace) throws -> RuleLibrary {
        let library = load(workspace)
        guard !library.isMissing else { throw Problem.noRules(workspace) }
        return library
    }

    /// Reads the files `*.yaml` and `*.yml` of the rules folder in the order of their names. A missing folder is an empty set of rules.
    public static func load(_ workspace: Workspace) -> RuleLibrary {
        load(
            .folder(workspace.rulesFolder, shownBelow: workspace.root, trust: PathTrust()), workspace)
    }

    /// The rules for a query that a person typed. They are read only if the query may use a name from them: reading
    /// them takes longer than most searches.
    public static func rules(for query: String, _ workspace: Workspace) -> RuleSet {
        Query.mayUseRules(query) ? load(workspace).rules : .empty
    }

    /// Rules from another source, for the accounts of the workspace.
    static func load(_ source: RuleSource, _ workspace: Workspace) -> RuleLibrary {
        var sources: [RuleSet.Source] = []
        var diagnostics: [Diagnostic] = []
        var hash: [UInt8] = []
        if let problem = source.unlisted {
            diagnostics.append(problem.finding(in: source.title))
        }
        for name in source.names {
            switch source.read(name) {
            case .success(let text):
                sources.append(RuleSet.Source(file: source.shownName(name), text: text))
                hash += Array(name.utf8) + [0] + Array(text.utf8) + [0]
            case .failure(let problem):
                diagnostics.append(problem.finding(in: source.shownName(name)))
            }
        }
        let lists = ListReader(source: source)
        let compiled = RuleSet.compile(
            sources, accounts: workspace.accounts.map(\.id), own: workspace.addresses, readList: lists.read)
        for (name, text) in lists.texts.sorted(by: { $0.key < $1.key }) {
            hash += Array(name.utf8) + [0] + Array(text.utf8) + [0]
        }
        return RuleLibrary(
            rules: compiled.rules.knowing(searches: workspace.searches),
            diagnostics: diagnostics + lists.refusals + compiled.diagnostics,
            digest: Hex.encode(SHA256.hash(hash)), isMissing: source.isMissing, sources: sources,
            listTexts: lists.texts)
    }
}

extension RuleSource.ReadFailure {
    func finding(in file: String) -> Diagnostic {
        Diagnostic(code: "R001", file: file, message: message, suggestion: remedy)
    }
}

/// Reads the files of `lists:` in or beside the rules folder, and remembers their contents.
private final class ListReader {
    private let source: RuleSource
    private(set) var texts: [String: String] = [:]
    /// Lists that other users may have written.
    private(set) var refusals: [Diagnostic] = []

    init(source: RuleSource) { self.source = source }

    func read(_ name: String) -> String? {
        guard !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else { return nil }
        for path in [name, "../" + name] {
            switch source.read(path) {
            case .success(let text):
                texts[name] = text
                return text
            case .failure(let problem):
                if problem.remedy != nil {
                    refusals.append(
                        problem.finding(in: path.hasPrefix("../") ? name : source.shownName(name)))
                }
            }
        }
        return nil
    }
}

extension RuleLibrary {
    /// The rules, if their files have no errors and their tests pass: without one of the rules, a protected
    /// message could be archived.
    static func passing(_ workspace: Workspace, now: Timestamp) throws -> RuleLibrary {
        let library = try RuleLibrary.required(workspace)
        guard library.errors.isEmpty else { throw DiagnosticFailure(library.diagnostics, exit: .badData) }
        let context = workspace.ruleContext(now: now)
        let failed = library.rules.runTests(context: context, comparing: false).filter { !$0.passed }
        guard failed.isEmpty else { throw FailingRuleTests(failed) }
        return library
    }

    /// The current rules for a plan; nil if they have changed since the plan was made.
    static func current(_ workspace: Workspace, for plan: Plan) -> RuleLibrary? {
        let library = RuleLibrary.load(workspace)
        return plan.origin == .rules(digest: library.digest) ? library : nil
    }
}

extension Workspace {
    public func ruleContext(now: Timestamp) -> RuleContext {
        var context = RuleContext(now: now, timeZone: timeZone)
        context.me = addresses
        context.people = people.map(\.addressee)
        context.allowSend = allowSend
        context.dayFirst = dayFirst
        context.workdayStart = workday.start
        context.workdayEnd = workday.end
        if !workday.days.isEmpty { context.businessDays = workday.days }
        return context
    }
}

/// Failing rule tests, which stop triage.
public struct FailingRuleTests: Error, Sendable {
    public let results: [RuleTestResult]

    public init(_ results: [RuleTestResult]) { self.results = results }
}
