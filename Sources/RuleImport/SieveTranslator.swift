import Models

/// Translates the commands of a Sieve script to rules.
///
/// Sieve continues after an action, and opus's rules end with the disposition. The result is the same, because Sieve
/// uses the flags set before a filing. The report names the differences: opus makes no copies in several mailboxes.
/// `if`, `elsif` and `else` become `choose` or, if a branch has more than actions, rules that exclude the branches
/// before them. A condition that cannot be translated never matches, and everything that depends on it is omitted.
struct SieveTranslator {
    private let source: SourceText
    private var draft: Draft
    private var tests = SieveTests()
    private var nextKey = 1
    private var places = SievePlaces()
    /// Conditions under which an untranslated command saves a message from `discard`.
    private var saved: [DraftCondition] = []
    /// Conditions under which an untranslated command ends the script or refuses the message.
    private var ended: [DraftCondition] = []

    /// The conditions that all apply in a block.
    private typealias Path = [DraftCondition]

    /// The most branches of an `if` that cannot be a `choose`: each excludes all before it.
    private static let longestChain = 60

    static func read(_ source: SourceText, into draft: inout Draft) throws(ImportError) {
        let commands = try SieveParser.parse(source)
        var translator = SieveTranslator(source: source, draft: draft)
        translator.walk(commands, [], name: nil)
        translator.places.settle(&translator.draft)
        draft = translator.draft
    }

    private init(source: SourceText, draft: Draft) {
        self.source = source
        self.draft = draft
    }

    // MARK: Commands

    /// Translates the commands of a block; false: a `stop` ended it.
    @discardableResult
    private mutating func walk(_ commands: [SieveCommand], _ path: Path, name: SieveCommand?) -> Bool {
        var run: [SieveCommand] = []
        var index = 0
        while index < commands.count {
            let command = commands[index]
            if command.name == "if" {
                flush(&run, path, name: name, stops: false)
                var chain = [command]
                while index + 1 < commands.count, ["elsif", "else"].contains(commands[index + 1].name) {
                    index += 1
                    chain.append(commands[index])
                }
                branch(chain, path)
            } else if Self.ends.contains(command.name) {
                flush(&run, path, name: name, stops: true)
                if index + 1 < commands.count {
                    draft.dropped(
                        line(commands[index + 1]), piece(commands[index + 1]),
                        "never reached, after '\(command.name)'")
                }
                return false
            } else {
                // Commands before `set` mean the old value.
                if command.name == "set", run.contains(where: \.usesVariables) {
                    flush(&run, path, name: name, stops: false)
                }
                run.append(command)
            }
            index += 1
        }
        flush(&run, path, name: name, stops: false)
        return true
    }

    /// RFC 5228 §3.3; RFC 6609 §3.3: outside of an included script `return` is the same.
    private static let ends: Set<String> = ["stop", "return"]

    private func line(_ command: SieveCommand) -> Int { source.line(command.range.lowerBound) }
    private func piece(_ command: SieveCommand) -> String { source.piece(command.range) }

    // MARK: Branches

    private mutating func branch(_ chain: [SieveCommand], _ path: Path) {
        tests.assumed = chain.count == 1 ? Self.onlyMailbox(of: chain[0].block ?? []) : []
        let conditions = chain.map { condition($0) }
        tests.assumed = []
        if chain.count > 1, !conditions.contains(where: \.hasUnknown),
            let rules = choices(chain, conditions, path)
        {
            draft.entries.append(.choose(rules))
            return
        }
        var excluded: Path = []
        let before = places.filings
        var most: [SievePlaces.Filing] = []
        for (index, (command, condition)) in zip(chain, conditions).enumerated() {
            guard index < Self.longestChain else {
                draft.dropped(
                    line(command), piece(command), "an if with more than \(Self.longestChain) branches")
                break
            }
            if condition.hasUnknown { noteUnknown(command, condition, isLast: index == chain.count - 1) }
            places.filings = []
            walk(command.block ?? [], path + excluded + [condition], name: command)
            if places.filings.count > most.count { most = places.filings }
            excluded.append(.not(condition))
        }
        places.filings = before + most
    }

    private mutating func condition(_ command: SieveCommand) -> DraftCondition {
        guard command.name != "else" else { return .always }
        guard let test = command.tests.first else { return .unknown }
        let before = tests.findings.count
        let condition = tests.condition(test, capturing: command.usesCaptures)
        for finding in tests.findings[before...] {
            let (line, piece) = (source.line(finding.range.lowerBound), source.piece(finding.range))
            switch finding.kind {
            case .dropped: draft.dropped(line, piece, finding.reason)
            case .changed: draft.changed(line, piece, finding.reason)
            }
        }
        return condition
    }

    /// The mailbox into which a block files its messages, if it does nothing else.
    private static func onlyMailbox(of block: [SieveCommand]) -> Set<String> {
        var names: Set<String> = []
        var open = block
        while let command = open.popLast() {
            if let inner = command.block {
                open += inner
                continue
            }
            let name = command.arguments.compactMap {
                if case .strings(let texts) = $0 { texts } else { nil }
            }
            guard command.name == "fileinto", name.count == 1, name[0].count == 1 else { return [] }
            names.insert(name[0][0])
        }
        return names.count == 1 ? names : []
    }

    private mutating func noteUnknown(_ command: SieveCommand, _ condition: DraftCondition, isLast: Bool) {
        if DraftCondition.every([condition]).narrowed != .never {
            draft.changed(
                line(command), piece(command),
                "matches fewer messages: only those that the translated conditions match for certain")
        }
        if !isLast {
            draft.changed(
                line(command), piece(command),
                "its elsif and else match only messages that it certainly does not match")
        } else if Self.stops(command.block ?? []) {
            draft.changed(
                line(command), piece(command),
                "it would have ended the script for its messages: now the rules below judge them too")
        }
    }

    private static func stops(_ commands: [SieveCommand]) -> Bool {
        commands.contains { ends.contains($0.name) }
    }

    /// One rule a branch, when every branch holds nothing but actions that can be done.
    private mutating func choices(_ chain: [SieveCommand], _ conditions: [DraftCondition], _ path: Path)
        -> [DraftRule]?
    {
        guard chain.allSatisfy({ Self.isSimple($0.block ?? []) }) else { return nil }
        let saved = self
        var rules: [DraftRule] = []
        for (command, condition) in zip(chain, conditions) where condition.narrowed != .never {
            let block = command.block ?? []
            let actions = block.prefix { !Self.ends.contains($0.name) }
            guard let rule = rule(Array(actions), path + [condition], name: command, stops: Self.stops(block))
            else {
                self = saved
                return nil
            }
            rules.append(rule)
        }
        guard rules.count > 1 else {
            self = saved
            return nil
        }
        places.filings = saved.places.filings + places.filings[saved.places.filings.count...].prefix(1)
        return rules
    }

    private static func isSimple(_ block: [SieveCommand]) -> Bool {
        !block.contains { $0.block != nil || $0.name == "set" }
            && (block.firstIndex { ends.contains($0.name) } ?? block.count) >= block.count - 1
    }

    // MARK: Rules

    private mutating func flush(_ run: inout [SieveCommand], _ path: Path, name: SieveCommand?, stops: Bool) {
        defer { run = [] }
        if path.isEmpty { takeConstants(run) }
        let when = DraftCondition.every(path.map(\.narrowed))
        guard when != .never else {
            for command in run where command.name == "set" { forget(command) }
            if path.contains(where: \.hasUnknown), stops || run.contains(where: SievePlaces.saves) {
                saved.append(.all(path))
            }
            if path.contains(where: \.hasUnknown), stops || run.contains(where: SieveActions.ends) {
                ended.append(.all(path))
            }
            let lost = run.filter { !Self.silent.contains($0.name) }
            if lost.contains(where: { SievePlaces.files.contains($0.name) }) {
                places.lost.append(draft.entries.count)
            }
            for command in lost {
                draft.dropped(
                    line(command), piece(command), "its condition cannot be translated, or never holds")
            }
            if let first = lost.first {
                draft.entries.append(
                    .comment([
                        "Not translated: line \(line(first)), \(lost.map(piece).joined(separator: " "))"
                    ]))
            }
            return
        }
        let before = draft.notes.count
        if let rule = rule(run, path, name: name, stops: stops) {
            draft.entries.append(.rule(rule))
        } else {
            let left = draft.notes[before...].filter { $0.kind == .dropped }
            if !left.isEmpty {
                draft.entries.append(
                    .comment(left.map { "Not translated: line \($0.line), \($0.piece): \($0.reason)" }))
            }
        }
    }

    private static let silent: Set<String> = ["require", "set"]

    private mutating func takeConstants(_ run: [SieveCommand]) {
        for command in run where command.name == "set" {
            let strings = command.arguments.compactMap {
                if case .strings(let texts) = $0 { texts } else { nil }
            }
            guard strings.count == 2, let name = strings[0].first?.lowercased(), let text = strings[1].first,
                command.arguments.count == 2, let value = SieveVariables.expand(text, tests.constants)
            else {
                forget(command)
                continue
            }
            tests.constants[name] = value
        }
    }

    private mutating func forget(_ command: SieveCommand) {
        for case .strings(let texts) in command.arguments {
            if let name = texts.first?.lowercased() { tests.constants[name] = nil }
        }
    }

    /// The rule of a run of actions; nil when opus has none of its actions.
    private mutating func rule(
        _ run: [SieveCommand], _ path: Path, name: SieveCommand?, stops: Bool
    ) -> DraftRule? {
        if !path.isEmpty { for command in run where command.name == "set" { forget(command) } }
        var actions = SieveActions(
            constants: tests.constants, captures: name?.captures(of: path.last?.narrowed) ?? 0)
        for command in run where !Self.silent.contains(command.name) { actions.take(command) }
        let isNarrowed = path.contains(where: \.hasUnknown)
        let isSaved = actions.isSpared || isNarrowed && run.contains(where: SievePlaces.saves)
        if isSaved { places.lost.append(draft.entries.count) }
        // It counts for the commands below, not for this run.
        let isEnded = isNarrowed && stops || run.contains(where: SieveActions.ends)
        defer {
            if isSaved || isNarrowed && stops { saved.append(.all(path)) }
            if isEnded { ended.append(.all(path)) }
        }
        for finding in actions.findings {
            let command = finding.command
            switch finding.kind {
            case .dropped: draft.dropped(line(command), piece(command), finding.reason)
            case .changed: draft.changed(line(command), piece(command), finding.reason)
            }
        }
        var done = actions.result
        let isEnd = stops && !done.contains(where: \.isDisposition)
        if done.isEmpty, stops { done = [.keep] }
        guard !done.isEmpty else { return nil }
        let filing = done.first { $0.isDisposition && $0 != .keep }
        let isTrashed = filing?.isTrashing ?? false
        let spared =
            isTrashed ? actions.isSpared ? [.never] : unsaved(path) : filing != nil ? unended(path) : path
        let when = DraftCondition.every(spared.map(\.narrowed))
        let trashing = run.first { ["discard", "fileinto"].contains($0.name) }
        guard when != .never else {
            if isTrashed, let trashing { draft.dropped(line(trashing), piece(trashing), SievePlaces.saving) }
            return nil
        }
        if spared.count > path.count, let filing = trashing {
            draft.changed(
                line(filing), piece(filing),
                isTrashed
                    ? "leaves alone what untranslated commands above may keep"
                    : "leaves alone what untranslated commands above end")
        }
        let place = name ?? run.first { !Self.silent.contains($0.name) }
        var rule = DraftRule(
            name: name?.ruleName ?? (isEnd && done == [.keep] ? "stop" : done.name),
            description: place.map {
                SourceText.oneLine("Sieve: " + ($0.tests.isEmpty && $0.name == "else" ? "else" : piece($0)))
            } ?? "",
            when: when, actions: done, line: place.map(line) ?? 1)
        rule.comments = actions.findings.filter { $0.kind == .dropped }
            .map { "Not translated: \(piece($0.command)): \($0.reason)" }
        rule.stops = isEnd && done != [.keep]
        rule.key = nextKey
        nextKey += 1
        if isEnd, done == [.keep] { places.ends.insert(rule.key) }
        if isTrashed, !stops { places.yielding.insert(rule.key) }
        if done.contains(where: { $0.name == .move }) || !isEnd && done.contains(.keep) {
            places.filings.append(.init(line: rule.line, piece: rule.description, stops: stops))
        }
        return rule
    }

    /// The path without the messages saved above it; if that takes too many conditions, nothing goes to the trash.
    private func unsaved(_ path: Path) -> Path {
        saved.count <= Self.longestChain ? path + saved.map { .not($0) } : [.never]
    }

    /// The path without the messages for which a command above ends the script, as far as their conditions are known.
    private func unended(_ path: Path) -> Path {
        path + ended.prefix(Self.longestChain).map { .not($0) }.filter { $0.narrowed != .never }
    }
}
