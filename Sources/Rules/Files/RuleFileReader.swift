import Models
import YAMLSource

/// Reads one rule file: `rules-version`, `name`, `accounts`, `time-zone`, `lists`, `define`, `protect`,
/// `rules`, `tests`.
struct RuleFileReader {
    static let fileKeys = [
        "rules-version", "name", "accounts", "time-zone", "lists", "define", "protect", "rules", "tests",
    ]
    static let ruleKeys = [
        "id", "description", "when", "unless", "then", "stop", "continue", "accounts", "enabled", "auto",
        "mailboxes",
        "expire", "on",
    ]

    let report: Report
    let names: KnownNames
    /// The accounts of the workspace; empty if unknown.
    let accounts: [AccountID]

    var conditions: ConditionReader { ConditionReader(report: report, names: names) }

    /// The settings of the whole file.
    struct Head {
        var accounts: [AccountID] = []
        var timeZone: String?
    }

    func head(_ root: YAMLNode) -> Head {
        var head = Head()
        if let node = root["accounts"] { head.accounts = readAccounts(node) }
        if let node = root["time-zone"], let name = report.text(node, "'time-zone'") {
            if Zone(name) != nil {
                head.timeZone = name
            } else {
                let similar = nearest(to: name, among: Zone.identifiers)
                report.error(
                    "R020", node, "unknown time zone '\(name)'",
                    similar.map { "did you mean '\($0)'?" } ?? "such as Europe/Paris")
            }
        }
        return head
    }

    func checkVersion(_ root: YAMLNode) {
        guard let version = root["rules-version"] else {
            report.error("R001", root, "'rules-version' is missing", "begin the file with rules-version: 1")
            return
        }
        if version.scalar != "1" {
            report.error("R001", version, "this program reads rules-version 1", "rules-version: 1")
        }
    }

    private func readAccounts(_ node: YAMLNode) -> [AccountID] {
        report.texts(node, "an account").compactMap { text, node in
            guard accounts.isEmpty || accounts.contains(AccountID(text)) else {
                let similar = nearest(to: text, among: accounts.map(\.rawValue))
                report.error(
                    "R043", node, "no account is called '\(text)'",
                    similar.map { "did you mean '\($0)'?" }
                        ?? "one of: \(accounts.map(\.rawValue).joined(separator: ", "))")
                return nil
            }
            return AccountID(text)
        }
    }

    // MARK: Definitions and protections

    func defines(_ root: YAMLNode) -> [(name: String, condition: Condition, node: YAMLNode)] {
        guard let node = root["define"], let pairs = report.mapping(node, "'define'") else { return [] }
        return pairs.compactMap { key, value in
            guard let name = key.scalar else { return nil }
            guard Self.isName(name) else {
                report.error("R020", key, "'\(name)' cannot be a name", "letters, digits, - and _")
                return nil
            }
            if ["unread", "read", "flagged", "answered", "draft"].contains(name) {
                report.error("R044", key, "'\(name)' is a state of messages and cannot be defined again")
                return nil
            }
            return conditions.read(value, "'\(name)'").map { (name, $0, key) }
        }
    }

    func protections(_ root: YAMLNode, _ head: Head) -> [Protection] {
        guard let node = root["protect"] else { return [] }
        let pairs: [(key: YAMLNode, value: YAMLNode)]
        if let mapping = node.mapping {
            pairs = mapping
        } else {
            pairs = (report.sequence(node, "'protect'") ?? []).flatMap { item in
                if item.mapping == nil {
                    report.error(
                        "R002", item, "a protection must be a name with a condition",
                        "open work: has:open-task")
                }
                warnOfFields(in: item)
                return item.mapping ?? []
            }
        }
        return pairs.compactMap { key, value in
            guard let name = key.scalar else { return nil }
            return conditions.read(value, "'\(name)'").map {
                Protection(
                    name: name, condition: $0, accounts: head.accounts, timeZone: head.timeZone,
                    file: report.file, line: key.line)
            }
        }
    }

    /// A protection that was written like a rule: each of its fields would be a protection of its own.
    private func warnOfFields(in item: YAMLNode) {
        guard let when = item["when"] else { return }
        let name = (item["name"] ?? item["id"])?.scalar ?? "important mail"
        report.warning(
            "R011", when, "a protection has no fields: 'when' is read as the name of one",
            "\(name): \(when.scalar ?? "…")")
    }

    // MARK: Rules

    /// All rule nodes, with the number of their group if they are in one.
    static func ruleNodes(_ root: YAMLNode) -> [(node: YAMLNode, group: Int?)] {
        var result: [(YAMLNode, Int?)] = []
        for (number, item) in (root["rules"]?.sequence ?? []).enumerated() {
            if let choices = item["choose"] {
                result += (choices.sequence ?? []).map { ($0, number) }
            } else {
                result.append((item, nil))
            }
        }
        return result
    }

    func checkRuleList(_ root: YAMLNode) {
        guard let node = root["rules"] else { return }
        for item in report.sequence(node, "'rules'") ?? [] {
            guard let pairs = report.mapping(item, "a rule"), let choices = item["choose"] else { continue }
            report.checkKeys(pairs, ["choose", "description"], code: "R011", "field of a group")
            if report.sequence(choices, "'choose'")?.isEmpty ?? false {
                report.error("R003", choices, "'choose' is empty")
            }
        }
    }

    func rule(_ node: YAMLNode, _ head: Head) -> CompiledRule? {
        guard let pairs = report.mapping(node, "a rule") else { return nil }
        report.checkKeys(pairs, Self.ruleKeys, code: "R011", "field of a rule")
        let id = self.id(node)
        let when = self.when(node)
        let unless = node["unless"].map { conditions.read($0, "'unless'") }
        let reader = ActionReader(report: report, captures: when?.captureNames ?? captureHints(node))
        let actions = self.actions(node, reader)
        guard let id, let when else { return nil }
        if case .some(nil) = unless { return nil }
        let accounts = node["accounts"].map { readAccounts($0) } ?? head.accounts
        let isEnabled = node["enabled"].flatMap { report.bool($0, "'enabled'") } ?? true
        let isAuto = node["auto"].flatMap { report.bool($0, "'auto'") } ?? false
        let info = RuleInfo(
            id: id, description: node["description"].flatMap { report.text($0, "'description'") } ?? "",
            file: report.file, line: node["id"]?.line ?? node.line, accounts: accounts, isEnabled: isEnabled,
            isAuto: isAuto)
        return CompiledRule(
            info: info, when: when, unless: unless ?? nil, actions: actions.map(\.action),
            stops: node["stop"].flatMap { report.bool($0, "'stop'") } ?? false,
            continues: node["continue"].flatMap { report.bool($0, "'continue'") } ?? false,
            timeZone: head.timeZone, scope: scope(node))
    }

    private func id(_ node: YAMLNode) -> String? {
        guard let idNode = node["id"] else {
            report.error("R003", node, "a rule needs an 'id'", "id: a-short-name")
            return nil
        }
        guard let id = report.text(idNode, "'id'") else { return nil }
        guard Self.isName(id), id != "none" else {
            report.error("R020", idNode, "'\(id)' cannot be an id", "letters, digits, - _ and .")
            return nil
        }
        return id
    }

    private func when(_ node: YAMLNode) -> Condition? {
        guard let when = node["when"] else {
            report.error(
                "R003", node["id"] ?? node, "this rule has no 'when'", "for every message: when: '*'")
            return nil
        }
        return conditions.read(when, "'when'")
    }

    private func actions(_ node: YAMLNode, _ reader: ActionReader) -> [ActionReader.Placed] {
        guard let then = node["then"], !then.isEmpty, !(then.sequence?.isEmpty ?? false) else {
            report.error(
                "R003", node["then"] ?? node["id"] ?? node, "this rule does nothing", "then: archive")
            return []
        }
        return reader.read(then)
    }

    /// If `when` could not be read, its named groups are unknown: use all names that look like groups, so
    /// that one mistake is not reported twice.
    private func captureHints(_ node: YAMLNode) -> Set<String> {
        var names: Set<String> = []
        var open = [node["when"]].compactMap { $0 }
        while let next = open.popLast() {
            switch next.kind {
            case .sequence(let nodes): open += nodes
            case .mapping(let pairs): open += pairs.map(\.value)
            case .scalar(let text, _):
                for part in text.split(separator: "<").dropFirst() {
                    names.insert(String(part.prefix { $0 != ">" }))
                }
            }
        }
        return names
    }

    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                    || "-_.".utf8.contains(byte)
            }
    }
}
