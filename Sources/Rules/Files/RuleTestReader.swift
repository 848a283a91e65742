import Models
import YAMLSource

/// Reads `tests:`.
struct RuleTestReader {
    static let keys = ["name", "at", "account", "mail", "known", "expect"]
    static let addressKeys = ["from", "to", "cc", "bcc", "reply-to", "sender"]
    /// Header fields with their own key.
    static let headerKeys = [
        "list-id": "List-Id", "list-unsubscribe": "List-Unsubscribe", "precedence": "Precedence",
        "auto-submitted": "Auto-Submitted",
    ]
    static let mailKeys =
        addressKeys + headerKeys.keys.sorted()
        + [
            "subject", "text", "body", "headers", "attachments", "date", "in", "flags", "keywords", "size",
            "open-task", "thread", "tasks", "sender-count", "auth",
            "signed", "duplicate", "event", "sender-last", "back",
        ]

    let report: Report
    let names: KnownNames
    let head: RuleFileReader.Head

    func read(_ node: YAMLNode) -> [RuleTest] {
        (report.sequence(node, "'tests'") ?? []).compactMap { test($0) }
    }

    private func test(_ node: YAMLNode) -> RuleTest? {
        guard let pairs = report.mapping(node, "a test") else { return nil }
        report.checkKeys(pairs, Self.keys, code: "R015", "field of a test")
        let name = node["name"].flatMap { report.text($0, "'name'") }
        if node["name"] == nil {
            report.error("R003", node, "a test needs a 'name'", "name: an invoice becomes a task")
        }
        var test = RuleTest(name: name ?? "", file: report.file, line: node.line)
        test.at = node["at"].flatMap { clock($0) }
        test.timeZone = head.timeZone
        test.account =
            node["account"].flatMap { report.text($0, "'account'") }.map { AccountID($0) }
            ?? head.accounts.first
        if let mail = node["mail"] {
            test.mail = self.mail(mail)
        } else {
            report.error(
                "R003", node, "a test needs a 'mail'", "mail: { from: ana@example.org, subject: Lunch }")
        }
        if let known = node["known"] { test.mail.known = addresses(known) }
        if let expect = node["expect"] {
            test.expected = ExpectationReader(report: report, names: names).read(expect)
        } else {
            report.error("R003", node, "a test needs an 'expect'", "expect: { rule: none }")
        }
        return test
    }

    private func clock(_ node: YAMLNode) -> String? {
        guard let text = report.text(node, "'at'") else { return nil }
        // With "tomorrow", the result of a test would depend on the current date.
        guard text.first?.isNumber ?? false, DatePhrase.isValid(text) else {
            report.error(
                "R022", node, "'\(text)' is not a fixed time",
                "2026-03-10T09:00:00+01:00, or 2026-03-10 09:00")
            return nil
        }
        return text
    }

    private func addresses(_ node: YAMLNode) -> [EmailAddress] {
        report.texts(node, "an address").flatMap { text, item -> [EmailAddress] in
            if let found = AddressText.list(text) { return found }
            report.error("R023", item, "'\(text)' is not an address", "'Ana Ruiz <ana@example.org>'")
            return []
        }
    }

    // MARK: Mail

    private func mail(_ node: YAMLNode) -> RuleTest.Mail {
        var mail = RuleTest.Mail()
        guard let pairs = report.mapping(node, "'mail'") else { return mail }
        report.checkKeys(pairs, Self.mailKeys, code: "R015", "field of a test's mail")
        for (key, value) in pairs {
            guard let name = key.scalar else { continue }
            if Self.addressKeys.contains(name) {
                mail.addresses[name] = addresses(value)
            } else if let field = Self.headerKeys[name] {
                mail.headers += report.texts(value, "'\(name)'").map {
                    HeaderField(name: field, body: $0.text)
                }
            } else {
                read(name, value, into: &mail)
            }
        }
        return mail
    }

    private func read(_ name: String, _ node: YAMLNode, into mail: inout RuleTest.Mail) {
        switch name {
        case "subject": mail.subject = node.scalar ?? ""
        case "text", "body": mail.text = node.scalar ?? ""
        case "in": mail.mailbox = report.text(node, "'in'") ?? "INBOX"
        case "headers":
            for (key, value) in report.mapping(node, "'headers'") ?? [] {
                mail.headers += report.texts(value, "a header field")
                    .map { HeaderField(name: key.scalar ?? "", body: $0.text) }
            }
        case "attachments":
            let nodes = report.sequence(node, "'attachments'") ?? []
            mail.attachments = nodes.compactMap { attachment($0) }
            mail.fileTexts = nodes.compactMap { $0.mapping == nil ? nil : $0["text"]?.scalar }
        case "date":
            if let template = report.date(node, "'date'", captures: []) { mail.date = template.source }
        case "event":
            if let template = report.date(node, "'event'", captures: []) { mail.event = template.source }
        case "sender-last":
            if let template = report.date(node, "'sender-last'", captures: []) {
                mail.senderLast = template.source
            }
        case "flags": mail.flags = flags(node)
        case "keywords": mail.keywords = Set(report.texts(node, "a label").map { Keyword($0.text) })
        case "size": mail.size = size(node)
        case "open-task": mail.hasOpenTask = report.bool(node, "'open-task'") ?? false
        case "thread": mail.thread = (report.sequence(node, "'thread'") ?? []).map { self.mail($0) }
        case "tasks": mail.tasks = (report.sequence(node, "'tasks'") ?? []).map { task($0) }
        case "sender-count":
            if let number = node.scalar.flatMap({ Int($0) }), (0...1_000_000).contains(number) {
                mail.senderCount = number
            } else {
                report.error("R020", node, "'sender-count' must be a number", "sender-count: 3")
            }
        case "auth":
            for (key, value) in report.mapping(node, "'auth'") ?? [] {
                report.checkKeys([(key, value)], ["dmarc", "dkim", "spf"], code: "R015", "method")
                if let result = report.text(value, "a result") {
                    mail.authentication[key.scalar ?? ""] = result
                }
            }
        case "signed": mail.signature = signature(node)
        case "duplicate": mail.isDuplicate = report.bool(node, "'duplicate'") ?? false
        case "back": mail.isBack = report.bool(node, "'back'") ?? false
        case _: break
        }
    }

    /// The result of checking the signature of the whole mail, as in ``SignatureVerdict/Outcome``.
    private func signature(_ node: YAMLNode) -> SignatureVerdict.Outcome? {
        guard let word = report.text(node, "'signed'") else { return nil }
        let known = SignatureVerdict.Outcome(rawValue: word)
        if known == nil {
            let words = SignatureVerdict.Outcome.allCases.map(\.rawValue).joined(separator: ", ")
            report.error("R020", node, "'\(word)' is not a state of a signature", "one of: \(words)")
        }
        return known
    }

    private func task(_ node: YAMLNode) -> RuleTest.OpenTask {
        var task = RuleTest.OpenTask()
        let pairs = report.mapping(node, "a task") ?? []
        report.checkKeys(
            pairs, ["list", "due", "created", "answered"], code: "R015", "field of a test's task")
        if let list = node["list"].flatMap({ report.text($0, "'list'") }) { task.list = GTDList(list) }
        task.due = node["due"].flatMap { report.date($0, "'due'", captures: []) }?.source
        task.isAnswered = node["answered"].flatMap { report.bool($0, "'answered'") } ?? false
        task.created = node["created"].flatMap { report.date($0, "'created'", captures: []) }?.source
        return task
    }

    private func size(_ node: YAMLNode) -> Int {
        guard let text = report.text(node, "'size'") else { return 0 }
        do {
            return try ValueReader.bytes(RawValue(form: .bare, text: text, offset: 0))
        } catch {
            report.add(error, in: node)
            return 0
        }
    }

    private func flags(_ node: YAMLNode) -> Set<Flag> {
        let words: [String: Flag] = [
            "read": .seen, "seen": .seen, "answered": .answered, "flagged": .flagged, "draft": .draft,
        ]
        var result: Set<Flag> = []
        for (text, item) in report.texts(node, "a flag") {
            if let flag = words[text] {
                result.insert(flag)
            } else {
                report.error("R020", item, "unknown flag '\(text)'", "read, flagged, answered or draft")
            }
        }
        return result
    }

    private func attachment(_ node: YAMLNode) -> Attachment? {
        if let name = node.scalar {
            return Attachment(name: name, contentType: "application/octet-stream", size: 0, section: "2")
        }
        guard let pairs = report.mapping(node, "an attachment") else { return nil }
        report.checkKeys(
            pairs, ["name", "type", "size", "inline", "text"], code: "R015", "field of an attachment")
        return Attachment(
            name: node["name"]?.scalar ?? "",
            contentType: (node["type"]?.scalar ?? "application/octet-stream").lowercased(),
            size: node["size"].map { size($0) } ?? 0, section: "2",
            isInline: node["inline"].flatMap { report.bool($0, "'inline'") } ?? false)
    }
}
