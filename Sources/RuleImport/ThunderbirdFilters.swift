/// Thunderbird's `msgFilterRules.dat`: lines of `key="value"`; `name` begins a filter, `condition` ends it.
///
/// Its filters run in order, and a move or a deletion ends them for the message, as among our rules.
struct ThunderbirdFilters {
    private struct Filter {
        var name: String
        var line: Int
        var isEnabled = true
        /// Bits: 1 when mail arrives, 16 by hand, 32 after the junk filter, 64 when mail was sent, 128 at archiving.
        var type = 17
        var actions: [(name: String, value: String?, line: Int)] = []
        var conditions: [(text: String, offset: Int)] = []
    }

    private let source: SourceText
    private var draft: Draft

    static func read(_ source: SourceText, into draft: inout Draft) throws(ImportError) {
        var reader = ThunderbirdFilters(source: source, draft: draft)
        for filter in try reader.filters() { try reader.translate(filter) }
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
                throw source.error(start, "'\(key)' stands before the name of a filter")
            }
            try take(key, value, offset, into: &filters[filters.count - 1])
        }
        return filters
    }

    /// `key="value"`; a quote in the value is written `\"`.
    private static func pair(
        _ text: String, _ start: Int, _ source: SourceText
    ) throws(ImportError) -> (key: String, value: String, offset: Int) {
        let key = text.prefix { $0.isLetter }
        let rest = text.dropFirst(key.count)
        guard !key.isEmpty, rest.hasPrefix("=\"") else {
            throw source.error(start, "a line is a key and its value: name=\"…\"")
        }
        var (value, isEscaped, isClosed) = ("", false, false)
        for letter in rest.dropFirst(2) {
            if isClosed {
                guard letter.isWhitespace else {
                    throw source.error(start, "there is something behind the value's quote")
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
            guard !filter.actions.isEmpty else { throw source.error(offset, "a value before its action") }
            filter.actions[filter.actions.count - 1].value = value
        case "condition": filter.conditions.append((value, offset))
        case "description", "scriptName", "customId": return
        case _: draft.dropped(source.line(offset), "\(key)=\(value)", "this setting is not known")
        }
        guard filter.actions.count <= 100, filter.conditions.count <= 100 else {
            throw source.error(offset, "a filter with more than 100 actions or conditions")
        }
    }

    // MARK: Filters

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
        let when = parts.isEmpty ? .never : condition.narrowed
        var actions = ThunderbirdActions()
        for action in filter.actions {
            for note in actions.take(action.name, action.value) {
                let piece = "\(filter.name): \(action.name)" + (action.value.map { " \($0)" } ?? "")
                switch note.kind {
                case .dropped: draft.dropped(action.line, piece, note.reason)
                case .changed: draft.changed(action.line, piece, note.reason)
                }
            }
        }
        guard when != .never, !actions.actions.isEmpty else {
            let reason =
                when == .never
                ? "its conditions cannot be asked here" : "nothing of what it does can be done here"
            draft.dropped(filter.line, filter.name, reason)
            draft.entries.append(.comment(["Not translated: line \(filter.line), \(filter.name): \(reason)"]))
            return
        }
        if condition.hasUnknown {
            draft.changed(
                filter.line, filter.name,
                "takes fewer messages: only those that the translated conditions are sure of")
        }
        var rule = DraftRule(
            name: filter.name, description: SourceText.oneLine("Thunderbird: \(filter.name)"), when: when,
            actions: actions.actions, line: filter.line)
        rule.stops = actions.stops && !actions.actions.contains(where: \.isDisposition)
        rule.comments = actions.left.map { "Not translated: \($0)" }
        rule.isEnabled = filter.isEnabled
        if filter.type & (1 | 32) == 0 {
            rule.isEnabled = false
            draft.changed(
                filter.line, filter.name, "it does not run when mail arrives, and so is not enabled")
        }
        draft.entries.append(.rule(rule))
    }
}

/// The actions of one Thunderbird filter.
struct ThunderbirdActions {
    typealias Note = (kind: ImportNote.Kind, reason: String)

    private(set) var actions: [DraftAction] = []
    private(set) var stops = false
    private(set) var left: [String] = []

    mutating func take(_ name: String, _ value: String?) -> [Note] {
        switch name {
        case "Mark read": return add(.mark(read: true), name)
        case "Mark unread": return add(.mark(read: false), name)
        case "Mark flagged": return add(.flag, name)
        case "AddTag": return label(name, value ?? "")
        case "Label": return label(name, "$label\(value ?? "")")
        case "Move to folder": return move(name, value ?? "")
        case "Delete": return add(.trash, name)
        case "Forward":
            guard let forward = value.flatMap({ DraftAction.forwarding(to: $0) }) else {
                return drop(name, value, "this is no address that a rule can forward to")
            }
            return add(forward, name) + [(.changed, DraftAction.forwardChange)]
        case "Stop execution":
            stops = true
            return []
        case "JunkScore" where value == "100":
            return add(.junk, name) + [(.changed, "moves the message to junk")]
        case _: return drop(name, value, Self.reasons[name] ?? "no rule does this")
        }
    }

    private static let reasons = [
        "Copy to folder": "a copy is not made",
        "JunkScore": "there is no score; nothing else sends mail to junk",
        "Reply": "the text of the answer is not in the file; write it as 'reply'",
        "Change priority": "a message's priority is its sender's",
        "Ignore thread": "threads cannot be ignored", "Ignore subthread": "threads cannot be ignored",
        "Watch thread": "threads cannot be watched", "Custom": "it is done by an add-on",
    ]

    private mutating func add(_ action: DraftAction, _ name: String) -> [Note] {
        actions.add(action) ? [] : drop(name, nil, "one message has one place; the first one is taken")
    }

    private mutating func drop(_ name: String, _ value: String?, _ reason: String) -> [Note] {
        left.append(name + (value.map { " \($0)" } ?? "") + ": " + reason)
        return [(.dropped, reason)]
    }

    private mutating func label(_ name: String, _ value: String) -> [Note] {
        let keyword = GmailTerm.keyword(value)
        guard !value.isEmpty else { return drop(name, value, "a tag without a name") }
        return add(.label(keyword), name)
            + (keyword == value ? [] : [(.changed, "the tag becomes '\(keyword)'")])
    }

    /// `imap://user@host/Folder/Name` and `mailbox://nobody@Local%20Folders/Name`.
    private mutating func move(_ name: String, _ value: String) -> [Note] {
        guard let scheme = value.firstRange(of: "://"),
            let slash = value[scheme.upperBound...].firstIndex(of: "/"),
            let folder = Self.decoded(value[value.index(after: slash)...]), !folder.isEmpty,
            !folder.contains("{{"),
            folder.utf8.count <= 500, !folder.unicodeScalars.contains(where: SourceText.isHidden)
        else { return drop(name, value, "this is no folder") }
        var notes: [Note] = []
        if !value.hasPrefix("imap://") {
            notes.append(
                (
                    .changed,
                    "a local folder becomes the mailbox '\(SourceText.oneLine(folder))' of the account"
                ))
        }
        return add(folder.lowercased() == "inbox" ? .keep : .move(folder), name) + notes
    }

    /// Percent signs decoded; nil when that is no UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
