/// Thunderbird's `msgFilterRules.dat`: lines of `key="value"`; `name` begins a filter, `condition` ends it.
///
/// Its filters run in order, and a move or a deletion ends them for the message, as with rules of opus.
struct ThunderbirdFilters {
    private struct Filter {
        var name: String
        var line: Int
        var isEnabled = true
        /// Bits: 1 when mail arrives, 16 by hand, 32 after the junk filter, 64 after sending, 128 at archiving.
        var type = 17
        var actions: [(name: String, value: String?, line: Int)] = []
        var conditions: [(text: String, offset: Int)] = []
    }

    private let source: SourceText
    private var draft: Draft
    /// Conditions under which untranslated filters keep a message from later ones.
    private var saved: [DraftCondition] = []
    /// See ``ThunderbirdActions/server``.
    private var server: String?

    static func read(_ source: SourceText, into draft: inout Draft) throws(ImportError) {
        var reader = ThunderbirdFilters(source: source, draft: draft)
        let filters = try reader.filters()
        reader.findServer(of: filters)
        for filter in filters { try reader.translate(filter) }
        draft = reader.draft
    }

    private init(source: SourceText, draft: Draft) {
        self.source = source
        self.draft = draft
    }

    // MARK: Lines

    private mutating func filters() throws(ImportError) -> [Filter] {
        var filters: [Filter] = []
        var start = 0
        let bytes = source.bytes
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            defer { start = end + 1 }
            let text = source.text(start..<end).filter { $0 != "\r" && $0 != "\r\n" }
            guard text.contains(where: { !$0.isWhitespace }) else { continue }
            let (key, value, offset) = try Self.pair(text, start, source)
            if key == "version" || key == "logging" { continue }
            if key == "name" {
                filters.append(Filter(name: value, line: source.line(start)))
                guard filters.count <= Draft.maximumRules else {
                    throw source.error(start, "more than \(Draft.maximumRules) filters; split the file")
                }
                continue
            }
            guard !filters.isEmpty else {
                throw source.error(start, "'\(key)' comes before the name of a filter")
            }
            try take(key, value, offset, into: &filters[filters.count - 1])
        }
        return filters
    }

    /// `key="value"`; a quote in the value is `\"`.
    private static func pair(
        _ text: String, _ start: Int, _ source: SourceText
    ) throws(ImportError) -> (key: String, value: String, offset: Int) {
        let key = text.prefix { $0.isLetter }
        let rest = text.dropFirst(key.count)
        guard !key.isEmpty, rest.hasPrefix("=\"") else {
            throw source.error(start, "a line must be a key and its value: name=\"…\"")
        }
        var (value, isEscaped, isClosed) = ("", false, false)
        for letter in rest.dropFirst(2) {
            if isClosed {
                guard letter.isWhitespace else {
                    throw source.error(start, "there is more text after the closing quote")
                }
            } else if isEscaped {
                if letter != "\"", letter != "\\" { value.append("\\") }
                value.append(letter)
                isEscaped = false
            } else if letter == "\\" {
                isEscaped = true
            } else if letter == "\"" {
                isClosed = true
            } else {
                value.append(letter)
            }
        }
        guard isClosed else { throw source.error(start + key.utf8.count + 1, "this value is not closed") }
        return (String(key), value, start + key.utf8.count + 2)
    }

    private mutating func take(_ key: String, _ value: String, _ offset: Int, into filter: inout Filter)
        throws(ImportError)
    {
        switch key {
        case "enabled": filter.isEnabled = value == "yes"
        case "type": filter.type = Int(value) ?? 17
        case "action": filter.actions.append((value, nil, source.line(offset)))
        case "actionValue":
            guard !filter.actions.isEmpty else {
                throw source.error(offset, "a value without an action before it")
            }
            filter.actions[filter.actions.count - 1].value = value
        case "condition": filter.conditions.append((value, offset))
        case "description", "scriptName", "customId": return
        case _: draft.dropped(source.line(offset), "\(key)=\(value)", "unknown setting")
        }
        guard filter.actions.count <= 100, filter.conditions.count <= 100 else {
            throw source.error(offset, "a filter with more than 100 actions or conditions")
        }
    }

    // MARK: Filters

    /// The server that most filters name: the file has the filters of one account, and does not say which.
    private mutating func findServer(of filters: [Filter]) {
        var counts: [String: Int] = [:]
        let named = filters.flatMap(\.actions).compactMap { action in
            action.value.flatMap(ThunderbirdActions.server).map { ($0, action.line) }
        }
        for (server, _) in named { counts[server, default: 0] += 1 }
        let most = counts.values.max()
        guard let (found, line) = named.first(where: { counts[$0.0] == most }) else { return }
        server = found
        guard counts.count > 1 else { return }
        draft.changed(
            line, SourceText.oneLine(found),
            "taken for the account of these filters, because most of them name it; check the folders of others"
        )
    }

    private mutating func translate(_ filter: Filter) throws(ImportError) {
        var parts: [DraftCondition] = []
        for (text, offset) in filter.conditions {
            var conditions = ThunderbirdConditions(text)
            parts.append(try conditions.read { (message: String) in source.error(offset, message) })
            for (piece, reason) in conditions.unknown { draft.dropped(source.line(offset), piece, reason) }
            for (piece, reason) in conditions.changed { draft.changed(source.line(offset), piece, reason) }
        }
        if parts.isEmpty { draft.dropped(filter.line, filter.name, "the filter has no condition") }
        let condition = DraftCondition.all(parts)
        let actions = actions(of: filter)
        let when = parts.isEmpty ? .never : condition.narrowed
        let place = actions.actions.first(where: \.isDisposition)
        let isOnArrival = filter.isEnabled && filter.type & (1 | 32) != 0
        defer {
            if isOnArrival, condition.hasUnknown && actions.ends || actions.isPlaceLost && place == nil {
                saved.append(condition)
            }
        }
        guard when != .never, !actions.actions.isEmpty else {
            let reason =
                when == .never
                ? "opus does not have its conditions" : "opus does not have its actions"
            return leaveOut(filter, reason)
        }
        var rule = DraftRule(
            name: filter.name, description: SourceText.oneLine("Thunderbird: \(filter.name)"), when: when,
            actions: actions.actions, line: filter.line)
        if place == .trash || place == .junk, !saved.isEmpty {
            rule.when =
                saved.count <= Self.mostSaved
                ? DraftCondition.every([condition] + saved.map { .not($0) }).narrowed : .never
            guard rule.when != .never else { return leaveOut(filter, Self.saving) }
            draft.changed(
                filter.line, filter.name,
                "leaves alone what untranslated filters above may keep")
        }
        if condition.hasUnknown {
            draft.changed(
                filter.line, filter.name,
                "matches fewer messages: only those that the translated conditions match for certain")
        }
        rule.stops = actions.stops && place == nil
        rule.comments = actions.left.map { "Not translated: \($0)" }
        rule.isEnabled = isOnArrival
        if filter.type & (1 | 32) == 0 {
            draft.changed(
                filter.line, filter.name, "it does not run when mail arrives, so the rule is not enabled")
        }
        // A filter that also runs from time to time tests its conditions again, as opus does.
        if isOnArrival, filter.type & Self.periodic == 0, rule.when.changesAfterArrival {
            rule.isEnabled = false
            draft.changed(filter.line, filter.name, DraftCondition.testedOnce)
        }
        draft.entries.append(.rule(rule))
    }

    private static let periodic = 256

    private mutating func actions(of filter: Filter) -> ThunderbirdActions {
        var actions = ThunderbirdActions(server: server)
        for action in filter.actions {
            for note in actions.take(action.name, action.value) {
                let piece = "\(filter.name): \(action.name)" + (action.value.map { " \($0)" } ?? "")
                switch note.kind {
                case .dropped: draft.dropped(action.line, piece, note.reason)
                case .changed: draft.changed(action.line, piece, note.reason)
                }
            }
        }
        actions.settle()
        return actions
    }

    private mutating func leaveOut(_ filter: Filter, _ reason: String) {
        draft.dropped(filter.line, filter.name, reason)
        draft.entries.append(.comment(["Not translated: line \(filter.line), \(filter.name): \(reason)"]))
    }

    private static let mostSaved = 60
    private static let saving =
        "trashes what a filter above it may have kept, and that filter is not translated"
}
