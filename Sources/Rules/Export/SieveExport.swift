public import Models

/// Rules as a Sieve script, for a mail server that sorts mail before opus sees it. RFC 5228.
///
/// Tests and actions that the server does not support are left to opus, never guessed: a message that such a
/// rule may match stays in the inbox, and no later rule of the script moves it instead.
public struct SieveExport: Sendable {
    /// A part of a rule that changed or was left out.
    public struct Note: Hashable, Sendable {
        public var file: String
        /// 1-based; 0 if the piece has no position.
        public var line: Int
        public var rule: String
        public var piece: String
        /// A lower-case clause without a full stop.
        public var reason: String
    }

    public private(set) var text = ""
    /// The number of rules that are in the script, at least partly.
    public private(set) var ruleCount = 0
    public private(set) var notes: [Note] = []

    private let account: AccountID
    private let conditions: SieveConditions
    private let folder: @Sendable (Action) -> String
    private let mailboxes: [Mailbox]
    private let today: CalendarDate
    private var extensions: Set<String> = []
    private var lines: [String] = []
    private var protection = SieveBounds.exactly(.no)
    private var isOver = false

    /// - Parameters:
    ///   - rules: Checked rules.
    ///   - account: The account for which the server delivers mail.
    ///   - me: The user's addresses.
    ///   - mailboxes: Those of the account, which rules name as people do.
    ///   - today: Rules that have expired are left out.
    ///   - folder: The mailbox for `archive`, `trash` and `junk`, as the server names it.
    public init(
        _ rules: RuleSet, account: AccountID, me: [EmailAddress], mailboxes: [Mailbox], today: CalendarDate,
        folder: @escaping @Sendable (Action) -> String
    ) {
        self.account = account
        self.folder = folder
        self.mailboxes = mailboxes
        self.today = today
        conditions = SieveConditions(tables: rules.tables, me: me.map(\.comparable))
        protect(rules)
        for entry in rules.entries where !isOver {
            switch entry {
            case .rule(let index): write([rules.compiled[index]])
            case .choose(let indices): write(indices.map { rules.compiled[$0] })
            }
        }
        finish()
    }

    // MARK: Protection

    private mutating func protect(_ rules: RuleSet) {
        var parts: [SieveCondition] = []
        for entry in rules.protections where entry.applies(to: account) {
            let bounds = conditions.bounds(entry.condition)
            if bounds.isWhole {
                parts.append(bounds.upper)
            } else {
                // Without its unknown parts, it would protect every message.
                parts.append(bounds.lower)
                for piece in bounds.missing {
                    notes.append(
                        Note(
                            file: "", line: 0, rule: entry.name, piece: piece.piece,
                            reason: "\(piece.reason); the server moves mail that this protects"))
                }
            }
        }
        protection = .exactly(.some(parts))
    }

    // MARK: Rules

    /// One rule, or a group in which the first rule that matches acts.
    private mutating func write(_ group: [CompiledRule]) {
        var earlier: [SieveCondition] = []
        for rule in group where !isOver {
            guard rule.applies(to: account) else {
                if !rule.info.isEnabled { note(rule, "enabled: false", "it is not enabled") }
                continue
            }
            if let (piece, reason) = rule.scope.absence(on: today) {
                note(rule, piece, reason)
                continue
            }
            let bounds = conditions.bounds(rule.condition)
            let before = SieveBounds.exactly(SieveCondition.some(earlier).inverted)
            write(rule, group.count == 1 ? bounds : .every([before, bounds]))
            if group.count > 1 { earlier.append(bounds.upper) }
        }
    }

    private mutating func write(_ rule: CompiledRule, _ bounds: SieveBounds) {
        var work = commands(rule)
        if let (piece, reason) = rule.scope.time {
            note(rule, piece, reason)
            work.isLeft = true
        }
        if rule.info.isAuto {
            note(rule, "auto: true", "Sieve has no such key: a script acts on every message at delivery")
        }
        for piece in bounds.missing { note(rule, piece.piece, piece.reason) }
        let ends = rule.stops || rule.disposes
        // Mail for which opus has more to do than to mark it waits in the inbox.
        let waits = ends || !work.isOnlyMarks
        if rule.continues, rule.disposes {
            note(rule, "continue: true", "later rules add no marks on the server")
        }
        guard !work.isLeft else { return leave(rule, bounds.upper, waits) }
        if bounds.lower != .no, !work.lines.isEmpty || ends {
            let stops = ends || !work.isWhole
            block(rule, bounds.lower, work.lines + place(work, ends: stops))
            if bounds.lower == .yes, stops { isOver = true }
        }
        if bounds.lower != bounds.upper { leave(rule, bounds.upper, waits) }
    }

    /// Keeps messages that the rule may match in the inbox for opus.
    private mutating func leave(_ rule: CompiledRule, _ test: SieveCondition, _ waits: Bool) {
        guard waits, test != .no, !isOver else { return }
        block(
            rule, test,
            [
                "# Left to opus: the server cannot do all of this rule, or is not certain that it matches.",
                "stop;",
            ], counts: false)
        if test == .yes {
            isOver = true
            note(rule, rule.info.id, "it may match any message, so the rules after it are left to opus")
        }
    }

    private mutating func block(
        _ rule: CompiledRule, _ test: SieveCondition, _ body: [String], counts: Bool = true
    ) {
        extensions.formUnion(test.extensions)
        lines.append("")
        lines.append("# rule:[\(rule.info.id)]")
        lines.append("if \(test.text()) {")
        lines += body.map { "    " + $0 }
        lines.append("}")
        if counts { ruleCount += 1 }
    }

    private mutating func place(_ work: Work, ends: Bool) -> [String] {
        guard let place = work.place else { return ends ? ["stop;"] : [] }
        extensions.insert("fileinto")
        if work.createsPlace { extensions.insert("mailbox") }
        let create = work.createsPlace ? ":create " : ""
        let filing = ["fileinto \(create)\(SieveCondition.quoted(place));", "stop;"]
        guard protection.upper != .no else { return filing }
        extensions.formUnion(protection.upper.extensions)
        return ["if \(protection.upper.text(indent: "    ")) { stop; }"] + filing
    }

    // MARK: Actions

    private struct Work {
        var lines: [String] = []
        /// nil: the message stays in the inbox.
        var place: String?
        var createsPlace = false
        /// Whether the server can execute all of its actions.
        var isWhole = true
        /// Whether the server can, and they only mark the message.
        var isOnlyMarks = false
        /// Whether the server executes none of them: all or nothing for the inbox, and no mail leaves it without its task.
        var isLeft = false
    }

    private mutating func commands(_ rule: CompiledRule) -> Work {
        var script = SieveCommands(
            me: conditions.me, folder: folder,
            mailbox: { [mailboxes] in mailboxes.meant(by: $0)?.displayName ?? $0 })
        var isWhole = true
        for action in rule.actions { isWhole = action.export(to: &script) && isWhole }
        for refusal in script.refusals { note(rule, refusal.piece, refusal.reason) }
        extensions.formUnion(script.extensions)
        return Work(
            lines: script.lines, place: script.place, createsPlace: script.createsPlace, isWhole: isWhole,
            isOnlyMarks: isWhole && script.isOnlyMarks,
            isLeft: !isWhole && (script.place != nil || script.lines.isEmpty))
    }

    // MARK: Script

    private mutating func note(_ rule: CompiledRule, _ piece: String, _ reason: String) {
        let note = Note(
            file: rule.info.file, line: rule.info.line, rule: rule.info.id, piece: piece, reason: reason)
        if !notes.contains(note) { notes.append(note) }
    }

    private mutating func finish() {
        var head = ["# Made from opus rules (opus rules export sieve). opus does the rest itself."]
        if !extensions.isEmpty {
            head.append(
                "require [" + extensions.sorted().map(SieveCondition.quoted).joined(separator: ", ") + "];")
        }
        text = (head + lines).joined(separator: "\n") + "\n"
    }
}

extension RuleScope {
    /// Why the rule is not for mail that is delivered: the piece of the rule and the reason.
    fileprivate func absence(on today: CalendarDate) -> (piece: String, reason: String)? {
        if let expires, expires < today { return ("expire: \(expires)", "it has expired") }
        let isForInbox = mailboxes.isEmpty || mailboxes.contains { $0.matches(MailboxRole.inbox.rawValue) }
        return isForInbox ? nil : ("mailboxes", "it is not for the inbox")
    }

    /// Why a script cannot have the rule: the piece of the rule and the reason.
    fileprivate var time: (piece: String, reason: String)? {
        if let expires { return ("expire: \(expires)", "a script does not expire") }
        return schedule.map { ("on: \($0.text)", "a script acts at delivery") }
    }
}
