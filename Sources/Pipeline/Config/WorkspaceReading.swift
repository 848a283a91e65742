import Accounts
import Models
import Rules

/// Reads `opus.yaml` with its dates and saved searches, which `Accounts` keeps as text.
extension Workspace {
    /// As ``load(_:)``, with errors for dates that opus does not understand.
    static func read(_ location: WorkspaceLocation) -> (workspace: Workspace?, findings: [Diagnostic]) {
        let (workspace, findings) = load(location)
        return checked(workspace, findings, location)
    }

    /// As ``parse(_:_:)``, with errors for dates and saved searches that opus does not understand.
    static func check(
        _ text: String, _ location: WorkspaceLocation
    ) -> (workspace: Workspace?, findings: [Diagnostic]) {
        var (workspace, findings) = parse(text, location)
        (workspace, findings) = checked(workspace, findings, location)
        return (workspace, findings + (workspace?.searchFindings ?? []))
    }

    private static func checked(
        _ workspace: Workspace?, _ findings: [Diagnostic], _ location: WorkspaceLocation
    ) -> (workspace: Workspace?, findings: [Diagnostic]) {
        guard let workspace else { return (nil, findings) }
        let dates = workspace.dateFindings(in: location.shownFile)
        return (dates.isEmpty ? workspace : nil, findings + dates)
    }

    private func dateFindings(in file: String) -> [Diagnostic] {
        var phrases = bundles.compactMap { settings in
            settings.deliver.map { (["bundles", settings.bundle.name, "deliver"], $0) }
        }
        if let deferDefault { phrases.append((["defer", "default"], deferDefault)) }
        let unknown = phrases.filter { !isDate($0.1) }
        guard !unknown.isEmpty else { return [] }
        let text = ConfigText(self.text)
        return unknown.map { steps, phrase in
            let path = ConfigPath(entry: steps)
            return Diagnostic(
                code: "C007", file: file, line: text?.value(at: path)?.line ?? 0,
                message: "\(path): '\(phrase)' is not a date",
                suggestion: "write saturday 10:00 or +1 week, for example (opus help dates)")
        }
    }

    private func isDate(_ phrase: String) -> Bool {
        phrase.lowercased() == DeferredUntil.somedayWord
            || DatePhrase.resolve(
                phrase, now: Timestamp(seconds: 0), timeZone: timeZone, dayFirst: dayFirst,
                workdayEnd: workday.end, businessDays: workday.days) != nil
    }

    /// Saved searches may use definitions of the rules: while those have errors, only a use shows whether a search is
    /// correct.
    private var searchFindings: [Diagnostic] {
        guard !searches.isEmpty else { return [] }
        let library = RuleLibrary.load(self)
        guard library.errors.isEmpty else { return [] }
        return searches.keys.sorted().flatMap { name -> [Diagnostic] in
            guard case .failure(let errors) = Query.parse("query:\(name)", rules: library.rules) else {
                return []
            }
            return errors.diagnostics
        }
    }
}
