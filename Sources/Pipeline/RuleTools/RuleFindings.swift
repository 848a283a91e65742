public import Accounts
import Foundation
import MailStore
public import Models
import Rules

/// Findings about rules that need the store: missing mailboxes, and rules that have never matched.
///
/// Only warnings: a rule for a yearly invoice rarely matches. No findings are reported if too little is
/// known: without a store, before the first sync, for a new file, or if the first run is too recent.
public struct RuleFindings {
    let workspace: Workspace
    let store: Store
    let now: Timestamp

    static let days: Int64 = 90

    /// The warnings for the rules of a workspace (R083, R088).
    public static func ofStore(
        _ library: RuleLibrary, _ options: SessionOptions
    ) throws -> [Diagnostic] {
        let workspace = try options.loadWorkspace()
        guard FileManager.default.fileExists(atPath: workspace.storeFolder + "/store.sqlite") else {
            return []
        }
        if let doubt = PathTrust().doubt(about: workspace.storeFolder) {
            throw Problem.untrusted(doubt, place: workspace.configFile)
        }
        let store = try Problem.wrap {
            try Store.open(path: workspace.storeFolder + "/store.sqlite", .reading)
        }
        defer { store.close() }
        let findings = RuleFindings(
            workspace: workspace, store: store, now: SessionClock(fixed: options.now).now)
        return try findings.missingMailboxes(library) + findings.neglectedRules(library)
    }

    private func missingMailboxes(_ library: RuleLibrary) throws -> [Diagnostic] {
        let mailboxes = try workspace.accounts.map { try store.sync.mailboxes(of: $0.id) }
        guard !mailboxes.contains(where: \.isEmpty) else { return [] }
        return library.rules.checkMailboxes(against: mailboxes.flatMap { $0 })
    }

    /// Rules that have never matched, if runs go back far enough.
    func neglected(_ library: RuleLibrary) throws -> [RuleInfo] {
        let limit = now - Self.days * 86_400
        guard let first = try store.rules.firstRuleRun(), first <= limit else { return [] }
        let shadowed = try store.rules.shadowedCounts(account: nil, since: Timestamp(seconds: 0)).keys
        let matched = try store.rules.everMatchedRules().union(shadowed)
        return library.rules.rules.filter { rule in
            rule.isEnabled && !matched.contains(rule.id) && library.rules.leavesTraces(rule.id)
                && isOld(rule.file, limit)
        }
    }

    private func neglectedRules(_ library: RuleLibrary) throws -> [Diagnostic] {
        guard let first = try store.rules.firstRuleRun() else { return [] }
        return try neglected(library).map { rule in
            Diagnostic(
                .warning, code: "R088", file: rule.file, line: rule.line, column: 1,
                message:
                    "'\(rule.id)' has matched nothing in \(counted((now - first) / 86_400, "day")) of runs",
                suggestion: "opus explain ID --rule \(rule.id)")
        }
    }

    private func isOld(_ file: String, _ limit: Timestamp) -> Bool {
        let path = file.hasPrefix("/") ? file : workspace.root + "/" + file
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let modified = attributes?[.modificationDate] as? Date else { return false }
        return Int64(modified.timeIntervalSince1970) <= limit.seconds
    }
}

extension RuleLibrary {
    /// The files that the user named, by their path or by their name in the rules folder, as findings name them.
    ///
    /// - Throws: ``Problem`` if one of them is not a file of the rules folder.
    public func files(named paths: [String], of workspace: Workspace, from directory: String) throws -> Set<
        String
    > {
        let known = Set(sources.map(\.file) + diagnostics.map(\.file))
        func place(_ path: String, in folder: String) -> String {
            URL(filePath: path.hasPrefix("/") ? path : folder + "/" + path).standardizedFileURL
                .resolvingSymlinksInPath().path
        }
        return Set(
            try paths.map { path in
                let folder = place(workspace.rulesFolder, in: workspace.root)
                let wanted = [place(path, in: directory), place(path, in: folder)]
                guard let found = known.first(where: { wanted.contains(place($0, in: workspace.root)) })
                else {
                    throw Problem(
                        "no-such-file", exit: .notFound,
                        message: "\(path) is not a rule file of this workspace",
                        place: workspace.rulesFolder, next: ["opus rules check", "opus rules list"])
                }
                return found
            })
    }

    /// All findings: from the files, from the store, and from the tests if the files have no errors.
    public func check(_ options: SessionOptions) throws -> [Diagnostic] {
        let context = try options.loadWorkspace().ruleContext(now: SessionClock(fixed: options.now).now)
        let results = errors.isEmpty ? rules.runTests(context: context) : []
        return inOrder(
            diagnostics + (try RuleFindings.ofStore(self, options)) + RuleSet.warnings(of: results))
    }
}
