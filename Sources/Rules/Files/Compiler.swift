public import Models
import YAMLSource

extension RuleSet {
    /// Compiles all files in the given order. If there is any error among the diagnostics, triage must not
    /// run.
    ///
    /// `accounts`: those of the workspace; empty if unknown, then they are not checked. `readList`: reads a
    /// file by its path relative to the workspace; nil if it is missing. `own`: the user's addresses.
    public static func compile(
        _ sources: [Source], accounts: [AccountID], own: [EmailAddress] = [], readList: (String) -> String?
    ) -> (rules: RuleSet, diagnostics: [Diagnostic]) {
        withoutActuallyEscaping(readList) { readList in
            var compiler = Compiler(accounts: accounts, own: own, readList: readList)
            return compiler.compile(sources)
        }
    }
}

/// Compiles rule files: first collects the names that all of them define, then resolves references.
struct Compiler {
    let accounts: [AccountID]
    let own: Set<String>
    let readList: (String) -> String?
    private var reports: [Report] = []
    private var diagnostics: [Diagnostic] = []
    private var rules = RuleSet()
    private var names = KnownNames()
    private var definitions = Definitions()
    /// Where each rule id is first used.
    private var ids: [String: String] = [:]

    init(accounts: [AccountID], own: [EmailAddress], readList: @escaping (String) -> String?) {
        self.accounts = accounts
        self.own = Set(own.map(\.comparable))
        self.readList = readList
    }

    mutating func compile(_ sources: [RuleSet.Source]) -> (rules: RuleSet, diagnostics: [Diagnostic]) {
        for source in sources {
            let (document, found) = YAMLDocument.read(file: source.file, text: source.text)
            for diagnostic in found where !diagnostics.contains(diagnostic) { diagnostics.append(diagnostic) }
            if let document { reports.append(Report(document)) }
        }
        rules.fileCount = sources.count
        rules.tables.hasRules = true
        for report in reports { collectNames(report) }
        for report in reports { compile(report) }
        for rule in rules.compiled { rules.tables.rules[rule.info.id] = rule.condition }
        Lints(rules: rules, definitions: definitions, own: own).run()
        diagnostics += reports.flatMap(\.diagnostics)
        let order = Dictionary(
            sources.enumerated().map { ($1.file, $0) }, uniquingKeysWith: { first, _ in first })
        let place = { (diagnostic: Diagnostic) in order[diagnostic.file] ?? sources.count }
        diagnostics = diagnostics.enumerated().sorted {
            (place($0.element), $0.offset) < (place($1.element), $1.offset)
        }.map(\.element)
        if diagnostics.contains(where: { $0.severity == .error }) { rules.disarm() }
        return (rules, diagnostics)
    }

    // MARK: Names

    private mutating func collectNames(_ report: Report) {
        guard let root = report.document.root, root.mapping != nil else { return }
        var reader = ListReader(report: report, readList: readList)
        for (name, list, node) in reader.read(root) {
            if rules.tables.lists.updateValue(list, forKey: name) != nil {
                report.error("R051", node, "there are two lists '@\(name)'", other(definitions.lists, name))
            }
            definitions.lists.append((name, report, node))
        }
        diagnostics += reader.diagnostics
        names.lists = Set(rules.tables.lists.keys)
        names.defines.formUnion(root["define"]?.mapping?.compactMap(\.key.scalar) ?? [])
        for (node, _) in RuleFileReader.ruleNodes(root) {
            guard let idNode = node["id"], let id = idNode.scalar else { continue }
            if let first = ids[id] {
                report.error(
                    "R051", idNode, "there are two rules '\(id)'",
                    "the other is at \(first); ids are unique across all files, so give one of them another name"
                )
            } else {
                ids[id] = "\(report.file):\(idNode.line)"
                names.rules.insert(id)
            }
        }
    }

    private func other(_ places: [Definitions.Place], _ name: String) -> String? {
        places.first { $0.name == name }.map { "the other is at \($0.report.file):\($0.node.line)" }
    }

    // MARK: Files

    private mutating func compile(_ report: Report) {
        guard let root = report.document.root else { return report.emptyFile() }
        guard let pairs = report.mapping(root, "a rule file") else { return }
        report.checkKeys(pairs, RuleFileReader.fileKeys, code: "R010", "part of a rule file")
        let reader = RuleFileReader(report: report, names: names, accounts: accounts)
        reader.checkVersion(root)
        if let node = root["name"] { _ = report.text(node, "'name'") }
        let head = reader.head(root)
        for (name, condition, node) in reader.defines(root) {
            if rules.tables.defines.updateValue(condition, forKey: name) != nil {
                report.error(
                    "R051", node, "there are two definitions '\(name)'", other(definitions.defines, name))
            }
            definitions.defines.append((name, report, node))
        }
        rules.protections += reader.protections(root, head)
        reader.checkRuleList(root)
        compileRules(root, reader, head)
        if let node = root["tests"] {
            rules.tests += RuleTestReader(report: report, names: names, head: head).read(node)
        }
    }

    private mutating func compileRules(
        _ root: YAMLNode, _ reader: RuleFileReader, _ head: RuleFileReader.Head
    ) {
        var openGroup: Int?
        for (node, group) in RuleFileReader.ruleNodes(root) {
            guard let rule = reader.rule(node, head) else { continue }
            rules.compiled.append(rule)
            let index = rules.compiled.count - 1
            definitions.rules.append((rule.info.id, reader.report, node["id"] ?? node))
            noteMailboxes(rule, node, reader.report)
            if let group, group == openGroup, case .choose(let choices)? = rules.entries.last {
                rules.entries[rules.entries.count - 1] = .choose(choices + [index])
            } else {
                rules.entries.append(group == nil ? .rule(index) : .choose([index]))
            }
            openGroup = group
        }
    }

    private mutating func noteMailboxes(_ rule: CompiledRule, _ node: YAMLNode, _ report: Report) {
        func use(_ name: String, at place: YAMLNode, _ effect: String) -> RuleSet.MailboxUse {
            let diagnostic = report.document.diagnostic(
                .warning, code: "R083", at: place, message: "mailbox '\(name)' does not exist; \(effect)")
            return .init(name: name, accounts: rule.info.accounts, diagnostic: diagnostic)
        }
        for action in rule.actions {
            guard let name = action.mailboxName else { continue }
            let place = Self.value(of: action.name, in: node["then"]) ?? node
            var mailbox = use(name, at: place, "matching messages would be kept")
            mailbox.rule = rule.info.id
            mailbox.isMade = action.createsMailbox
            rules.mailboxUses.append(mailbox)
        }
        if let places = node["mailboxes"] {
            for place in places.sequence ?? [places] {
                guard let name = place.scalar, !name.contains("*") else { continue }
                rules.mailboxesAsked.append(use(name, at: place, "the rule applies to no message"))
            }
        }
        for (key, condition) in [("when", rule.when), ("unless", rule.unless ?? .always)] {
            for test in condition.tests {
                guard case .mailbox(.name) = test.kind, case .value(_, let name) = test.spelling.value else {
                    continue
                }
                rules.mailboxesAsked.append(use(name, at: node[key] ?? node, "no message is in it"))
            }
        }
    }

    private static func value(of action: ActionName, in then: YAMLNode?) -> YAMLNode? {
        guard let then else { return nil }
        return (then.sequence ?? [then]).lazy.compactMap { $0[action.rawValue] }.first
    }
}

/// Where each name was defined, for findings about names.
struct Definitions {
    typealias Place = (name: String, report: Report, node: YAMLNode)

    var lists: [Place] = []
    var defines: [Place] = []
    var rules: [Place] = []
}
