public import Models

/// Rules as a Sieve script, for a mail server that sorts mail before opus sees it. RFC 5228.
///
/// What the server cannot ask or do is left to opus, never guessed: a message that such a rule might take stays in the
/// inbox, and no later rule of the script takes it instead.
public struct SieveExport: Sendable {
    /// A piece that is not what it was.
    public struct Note: Hashable, Sendable {
        public var file: String
        /// 1-based; 0 where the piece has no place.
        public var line: Int
        public var rule: String
        public var piece: String
        /// A lower-case clause without a full stop.
        public var reason: String
    }

    public private(set) var text = ""
    /// Rules of which something is in the script.
    public private(set) var ruleCount = 0
    public private(set) var notes: [Note] = []

    private let account: AccountID
    private let conditions: SieveConditions
    private let folder: @Sendable (Action) -> String
    private var extensions: Set<String> = []
    private var lines: [String] = []
    private var protection = SieveBounds.exactly(.no)
    private var isOver = false

    /// - Parameters:
    ///   - rules: Checked.
    ///   - account: The account whose mail the server delivers.
    ///   - me: The user's addresses.
    ///   - folder: The mailbox of `archive`, `trash` and `junk`, as the server names it.
    public init(
        _ rules: RuleSet, account: AccountID, me: [EmailAddress],
        folder: @escaping @Sendable (Action) -> String
    ) {
        self.account = account
        self.folder = folder
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
        var parts: [SieveTest] = []
        for entry in rules.protections where entry.applies(to: account) {
            let bounds = conditions.bounds(entry.condition)
            if bounds.isExact {
                parts.append(bounds.upper)
            } else {
                // Without its unknown parts it would protect everything.
                parts.append(bounds.lower)
                for piece in bounds.missing {
                    notes.append(
                        Note(
                            file: "", line: 0, rule: entry.name, piece: piece.piece,
                            reason: "\(piece.reason): the server moves mail that this protects"))
                }
            }
        }
        protection = .exactly(.some(parts))
    }

    // MARK: Rules

    /// One rule, or a group of which the first that matches is taken.
    private mutating func write(_ group: [CompiledRule]) {
        var earlier: [SieveTest] = []
        for rule in group where !isOver {
            guard rule.applies(to: account) else {
                if !rule.info.isEnabled { note(rule, "enabled: false", "it is not enabled") }
                continue
            }
            let bounds = conditions.bounds(rule.condition)
            let before = SieveBounds.exactly(SieveTest.some(earlier).inverted)
            write(rule, group.count == 1 ? bounds : .every([before, bounds]))
            if group.count > 1 { earlier.append(bounds.upper) }
        }
    }

    private mutating func write(_ rule: CompiledRule, _ bounds: SieveBounds) {
        let work = commands(rule)
        for piece in bounds.missing { note(rule, piece.piece, piece.reason) }
        let ends = rule.stops || rule.disposes
        if rule.continues, rule.disposes {
            note(rule, "continue: true", "later rules add no marks on the server")
        }
        guard !work.isLeft else { return leave(rule, bounds.upper, ends) }
        if bounds.lower != .no, !work.lines.isEmpty || ends {
            block(rule, bounds.lower, work.lines + place(work.place, ends: ends))
            if bounds.lower == .yes, ends { isOver = true }
        }
        if !bounds.isExact { leave(rule, bounds.upper, ends) }
    }

    /// Messages that the rule might take are left in the inbox for opus.
    private mutating func leave(_ rule: CompiledRule, _ test: SieveTest, _ ends: Bool) {
        guard ends, test != .no, !isOver else { return }
        block(rule, test, ["# Left to opus: the server cannot do all of this rule.", "stop;"], counts: false)
        if test == .yes {
            isOver = true
            note(rule, rule.info.id, "it may take any message, so the rules behind it are left to opus")
        }
    }

    private mutating func block(
        _ rule: CompiledRule, _ test: SieveTest, _ body: [String], counts: Bool = true
    ) {
        extensions.formUnion(test.extensions)
        lines.append("")
        lines.append("# rule:[\(rule.info.id)]")
        lines.append("if \(test.text()) {")
        lines += body.map { "    " + $0 }
        lines.append("}")
        if counts { ruleCount += 1 }
    }

    private mutating func place(_ place: String?, ends: Bool) -> [String] {
        guard let place else { return ends ? ["stop;"] : [] }
        extensions.insert("fileinto")
        let filing = ["fileinto \(SieveTest.quoted(place));", "stop;"]
        guard protection.upper != .no else { return filing }
        extensions.formUnion(protection.upper.extensions)
        return ["if \(protection.upper.text(indent: "    ")) { stop; }"] + filing
    }

    // MARK: Actions

    private struct Work {
        var lines: [String] = []
        /// nil: the message stays in the inbox.
        var place: String?
        /// It disposes of the message, and not all of it can be done here.
        var isLeft = false
    }

    private mutating func commands(_ rule: CompiledRule) -> Work {
        var work = Work()
        var isWhole = true
        for action in rule.actions {
            switch action {
            case .keep: break
            case .archive: work.place = folder(.archive)
            case .trash: work.place = folder(.trash)
            case .junk: work.place = folder(.junk)
            case .move(let name): work.place = name
            case .flag: work.lines.append(flag("addflag", "\\Flagged"))
            case .unflag: work.lines.append(flag("removeflag", "\\Flagged"))
            case .mark(let read): work.lines.append(flag(read ? "addflag" : "removeflag", "\\Seen"))
            case .label(let template): isWhole = keyword("addflag", template, rule, &work) && isWhole
            case .unlabel(let template): isWhole = keyword("removeflag", template, rule, &work) && isWhole
            case .vacation(let vacation): isWhole = answer(vacation, rule, &work) && isWhole
            case _:
                note(rule, action.name, "only opus does it")
                isWhole = false
            }
        }
        // All or nothing as to the inbox: no mail leaves it without the task that it was to become.
        work.isLeft = !isWhole && (work.place != nil || work.lines.isEmpty)
        return work
    }

    private mutating func flag(_ command: String, _ flag: String) -> String {
        extensions.insert("imap4flags")
        return "\(command) \(SieveTest.quoted(flag));"
    }

    private mutating func keyword(
        _ command: String, _ template: Template, _ rule: CompiledRule, _ work: inout Work
    ) -> Bool {
        guard let text = template.constant, Keyword.isValid(text) else {
            note(rule, "label: \(template.source)", "the server has no templates")
            return false
        }
        work.lines.append(flag(command, text))
        return true
    }

    private mutating func answer(_ vacation: VacationTemplate, _ rule: CompiledRule, _ work: inout Work)
        -> Bool
    {
        guard vacation.sending == .now else {
            note(rule, "vacation", "the server makes no drafts")
            return false
        }
        guard let text = vacation.text.constant, vacation.subject.map({ $0.constant != nil }) ?? true else {
            note(rule, "vacation", "the server has no templates")
            return false
        }
        extensions.insert("vacation")
        let subject = vacation.subject?.constant.map { " :subject \(SieveTest.quoted($0))" } ?? ""
        let addresses = conditions.me.isEmpty ? "" : " :addresses \(SieveTest.list(conditions.me))"
        work.lines.append("vacation :days \(vacation.days)\(subject)\(addresses) \(SieveTest.quoted(text));")
        return true
    }

    // MARK: The script

    private mutating func note(_ rule: CompiledRule, _ piece: String, _ reason: String) {
        let note = Note(
            file: rule.info.file, line: rule.info.line, rule: rule.info.id, piece: piece, reason: reason)
        if !notes.contains(note) { notes.append(note) }
    }

    private mutating func finish() {
        var head = ["# Made of opus rules (opus rules export sieve). What is not in it, opus does itself."]
        if !extensions.isEmpty {
            head.append(
                "require [" + extensions.sorted().map(SieveTest.quoted).joined(separator: ", ") + "];")
        }
        text = (head + lines).joined(separator: "\n") + "\n"
    }
}
