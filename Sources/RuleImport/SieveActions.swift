import IMAPProtocol
import Models

/// Translates a sequence of Sieve actions to the actions of one rule.
///
/// The place of the message is decided at the end: `keep` before `fileinto` before `discard`, because in Sieve each
/// prevents the later ones from losing the message. Flags apply to later filings.
struct SieveActions {
    struct Finding {
        var kind: ImportNote.Kind
        var command: SieveCommand
        var reason: String
    }

    let constants: [String: String]
    let captures: Int
    private(set) var findings: [Finding] = []
    private var marks: [DraftAction] = []
    private var places: [(action: DraftAction, command: SieveCommand)] = []
    private var answers: [DraftAction] = []
    private var copies: [DraftAction] = []
    private var discards = false
    /// Whether there is an untranslated filing or a redirect, so that the message must not be discarded.
    private(set) var isSpared = false

    var isDiscarded: Bool { discards && places.isEmpty && !isSpared }

    init(constants: [String: String], captures: Int) {
        self.constants = constants
        self.captures = captures
    }

    /// Marks and replies first, then the place.
    var result: [DraftAction] {
        let place = places.first { $0.action == .keep } ?? places.first
        return marks + answers + copies + (place.map { [$0.action] } ?? (isDiscarded ? [.trash] : []))
    }

    private mutating func dropped(_ command: SieveCommand, _ reason: String) {
        findings.append(Finding(kind: .dropped, command: command, reason: reason))
    }

    mutating func take(_ command: SieveCommand) {
        switch command.name {
        case "keep": file(command, .keep)
        case "fileinto": fileInto(command)
        case "discard":
            discards = true
            if isDiscarded {
                findings.append(
                    Finding(
                        kind: .changed, command: command,
                        reason: "moves the message to the trash instead of deleting it"))
            }
        case "addflag", "setflag", "removeflag": flags(command)
        case "vacation": vacation(command)
        case _:
            isSpared = isSpared || Self.spares(command.name)
            dropped(command, Self.reasons[command.name] ?? "a rule cannot do '\(command.name)'")
        }
    }

    /// Whether an untranslated command may save the message from `discard`, or change what later commands see: `include`
    /// may file it, `addheader` may make a condition hold, and `reject` sends it back.
    static func spares(_ name: String) -> Bool { !harmless.contains(name) }

    /// Whether an untranslated command may end the script, refuse the message or change what later conditions see.
    static func ends(_ command: SieveCommand) -> Bool {
        spares(command.name) && !["fileinto", "keep", "redirect"].contains(command.name)
    }

    private static let harmless: Set<String> = [
        "addflag", "debug_log", "denotify", "discard", "global", "notify", "removeflag", "require", "set",
        "setflag",
        "vacation",
    ]

    private static let reasons = [
        "redirect":
            "opus cannot redirect mail unchanged ('forward' makes a new mail); the message stays where it is",
        "reject": "delivered mail cannot be refused; the message stays where it is",
        "ereject": "delivered mail cannot be refused; the message stays where it is",
        "notify": "opus has only 'notify', a line in the report of the run",
        "include":
            "the other script is another file; import it separately. The rules below also act on mail that it ends",
        "foreverypart": "rules do not look at single parts. The rules below also act on mail that it ends",
        "addheader": "rules do not change messages, and conditions below see them without this field",
        "deleteheader": "rules do not change messages, and conditions below see them with this field",
        "return": "only an included script can return",
    ]

    private mutating func vacation(_ command: SieveCommand) {
        do {
            let vacation = try SieveVacation(command.arguments, constants: constants)
            answers.append(vacation.action)
            findings += vacation.changes.map { Finding(kind: .changed, command: command, reason: $0) }
        } catch {
            dropped(command, error.reason)
        }
    }

    // MARK: Places

    private mutating func fileInto(_ command: SieveCommand) {
        var isCopy = false
        var name: String?
        var role: String?
        var rest = command.arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case .tag("copy"): isCopy = true
            case .tag("create"):
                findings.append(
                    Finding(
                        kind: .changed, command: command,
                        reason: "the rule does not make a missing mailbox: move: { to: …, create: true } does"
                    ))
            case .tag("flags"):
                if case .strings(let texts)? = rest.popFirst() { set(texts, command) }
            case .tag("specialuse"):
                if case .strings(let texts)? = rest.popFirst() { role = texts.first?.lowercased() }
            case .tag("mailboxid"): _ = rest.popFirst()
            case .strings(let texts): name = texts.first
            case .tag, .number: continue
            }
        }
        let before = places.count + copies.count
        defer { isSpared = isSpared || places.count + copies.count == before }
        guard let name else { return dropped(command, "'fileinto' needs a mailbox") }
        guard let expanded = SieveVariables.expand(name, constants) else {
            return dropped(
                command,
                "the name of a mailbox cannot depend on the mail or on a variable that changes; the message stays where it is"
            )
        }
        let isName =
            !expanded.isEmpty && expanded.utf8.count <= 500 && !expanded.contains("{{")
            && !expanded.unicodeScalars.contains(where: SourceText.isHidden)
        if isCopy, isName, expanded.lowercased() != "inbox" {
            return copies.append(.copy(mailbox(expanded, command)))
        }
        guard !isCopy else {
            return dropped(command, "this copy cannot be made; the message stays where it is")
        }
        let roles: [String: DraftAction] = ["\\junk": .junk, "\\trash": .trash, "\\archive": .archive]
        if let role, let action = roles[role] { return file(command, action) }
        if expanded.lowercased() == "inbox" { return file(command, .keep) }
        guard isName else { return dropped(command, "this cannot be the name of a mailbox") }
        file(command, .move(mailbox(expanded, command)))
    }

    /// A script has UTF-8 (RFC 5228 §4.1), but some editors write names as they are on the wire: `Entw&APw-rfe`.
    private mutating func mailbox(_ name: String, _ command: SieveCommand) -> String {
        guard let decoded = ModifiedUTF7.decode(Array(name.utf8)), !decoded.allSatisfy(\.isASCII),
            !decoded.unicodeScalars.contains(where: SourceText.isHidden)
        else { return name }
        findings.append(
            Finding(kind: .changed, command: command, reason: "the mailbox is read as '\(decoded)'"))
        return decoded
    }

    private mutating func file(_ command: SieveCommand, _ action: DraftAction) {
        if case .strings(let texts)? = command.arguments.drop(while: { $0 != .tag("flags") }).dropFirst()
            .first,
            command.name == "keep"
        {
            set(texts, command)
        }
        if let first = places.first, first.action != action {
            dropped(
                action == .keep ? first.command : command,
                "a message has only one place; no second copy is made")
        }
        places.append((action, command))
    }

    // MARK: Flags

    private mutating func flags(_ command: SieveCommand) {
        let strings = command.arguments.compactMap { if case .strings(let texts) = $0 { texts } else { nil } }
        guard strings.count == 1 else { return dropped(command, "flags in a variable are not translated") }
        guard places.isEmpty else {
            return dropped(command, "it comes after the filing, and has no effect on it")
        }
        if command.name == "removeflag" {
            remove(strings[0], command)
        } else {
            if command.name == "setflag" {
                findings.append(
                    Finding(
                        kind: .changed, command: command, reason: "flags that the message already has stay"))
                set(strings[0], command)
            } else {
                add(strings[0], command)
            }
        }
    }

    /// The flags of `setflag` and `:flags` replace those of the commands before them (RFC 5232 §3.1, §5).
    private mutating func set(_ texts: [String], _ command: SieveCommand) {
        marks.removeAll()
        add(texts, command)
    }

    private mutating func words(_ texts: [String], _ command: SieveCommand) -> [String] {
        texts.flatMap { text -> [String] in
            guard let expanded = SieveVariables.expand(text, constants, captures: captures) else {
                dropped(
                    command, "'\(SourceText.oneLine(text))' depends on the mail or on a variable that changes"
                )
                return []
            }
            return expanded.split(separator: " ").map(String.init)
        }
    }

    private mutating func add(_ texts: [String], _ command: SieveCommand) {
        for flag in words(texts, command) {
            switch flag.lowercased() {
            case "\\seen": _ = marks.add(.mark(read: true))
            case "\\flagged": _ = marks.add(.flag)
            case _ where isLabel(flag): _ = marks.add(.label(flag))
            case _: dropped(command, "'\(SourceText.oneLine(flag))' cannot be set by a rule")
            }
        }
    }

    private mutating func remove(_ texts: [String], _ command: SieveCommand) {
        for flag in words(texts, command) {
            let (undone, done): (DraftAction, DraftAction) =
                switch flag.lowercased() {
                case "\\seen": (.mark(read: true), .mark(read: false))
                case "\\flagged": (.flag, .unflag)
                case _: (.label(flag), .unlabel(flag))
                }
            if let index = marks.firstIndex(of: undone) {
                marks.remove(at: index)
            } else if flag.hasPrefix("\\"),
                !["\\seen", "\\flagged"].contains(flag.lowercased())
                    || !isLabel(flag) && !flag.hasPrefix("\\")
            {
                dropped(command, "'\(SourceText.oneLine(flag))' cannot be removed by a rule")
            } else if flag.hasPrefix("\\") || isLabel(flag) {
                _ = marks.add(done)
            } else {
                dropped(command, "'\(SourceText.oneLine(flag))' cannot be a label")
            }
        }
    }

    private func isLabel(_ flag: String) -> Bool {
        flag.hasPrefix("{{m") && flag.hasSuffix("}}") && flag.count == 6
            || Keyword.isValid(flag) && !flag.contains("'")
    }
}
