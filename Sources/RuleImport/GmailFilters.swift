/// Gmail's export, `mailFilters.xml`: an Atom feed with an entry for each filter and an `apps:property` for each
/// setting.
///
/// In Gmail, all matching filters act on a message, in no order. So rules with a disposition let later ones add marks,
/// and rules that trash come first, because in Gmail the trash wins.
struct GmailFilters {
    private struct Filter {
        var line: Int
        var properties: [(name: String, value: String, line: Int)] = []

        func line(_ name: String) -> Int { properties.first { $0.name == name }?.line ?? line }

        func value(_ name: String) -> String? {
            properties.first { $0.name == name && !$0.value.allSatisfy(\.isWhitespace) }?.value
        }
        func isOn(_ name: String) -> Bool { value(name)?.lowercased() == "true" }
    }

    static func read(_ source: SourceText, into draft: inout Draft) throws(ImportError) {
        let filters = try filters(source)
        draft.remarks.append(
            "Gmail compares whole words; here a word is also found at the beginning of a longer one.")
        var (first, rest): ([Draft.Entry], [Draft.Entry]) = ([], [])
        for filter in filters {
            let entry = entry(filter, &draft)
            if case .rule(let rule) = entry, rule.actions.contains(.trash) {
                first.append(entry)
            } else {
                rest.append(entry)
            }
        }
        draft.entries = first + rest
        if !first.isEmpty, !rest.isEmpty {
            draft.remarks.append(
                "Rules that put mail into the trash come first, because in Gmail the trash wins.")
        }
    }

    private static func filters(_ source: SourceText) throws(ImportError) -> [Filter] {
        var reader = XMLReader(source)
        var filters: [Filter] = []
        var isInside = false
        while let event = try reader.next() {
            switch event {
            case .start("entry", _, let offset):
                isInside = true
                filters.append(Filter(line: source.line(offset)))
                guard filters.count <= Draft.maximumRules else {
                    throw source.error(offset, "more than \(Draft.maximumRules) filters; split the file")
                }
            case .end("entry"): isInside = false
            case .start("apps:property", let attributes, let offset):
                guard isInside else { continue }
                guard let name = attributes["name"], let value = attributes["value"] else {
                    throw source.error(offset, "a property needs a name and a value")
                }
                filters[filters.count - 1].properties.append((name, value, source.line(offset)))
            case .start, .end: continue
            }
        }
        return filters
    }

    private static func entry(_ filter: Filter, _ draft: inout Draft) -> Draft.Entry {
        let words = filter.properties.filter { !$0.name.hasPrefix("size") && $0.name != "excludeChats" }
            .map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        let (actions, left) = actions(filter, &draft)
        let condition = condition(filter, &draft)
        let when = condition.narrowed
        var rule = DraftRule(
            name: filter.value("label").map { "label \($0)" } ?? actions.name,
            description: SourceText.oneLine("Gmail: \(words)"), when: when, actions: actions,
            line: filter.line)
        rule.comments = left
        rule.continues = actions.contains(where: \.isDisposition)
        if when == .never || actions.isEmpty {
            let reason =
                when == .never
                ? "opus does not have its conditions" : "opus does not have its actions"
            if actions.isEmpty, left.isEmpty { draft.dropped(filter.line, words, "it does nothing") }
            if when == .never { draft.dropped(filter.line, words, reason) }
            return .comment(["Not translated: line \(filter.line), \(words): \(reason)"])
        }
        if condition.hasUnknown {
            draft.changed(
                filter.line, words,
                "matches fewer messages: only those that the translated conditions match for certain")
        }
        if when.changesAfterArrival {
            rule.isEnabled = false
            draft.changed(filter.line, words, DraftCondition.testedOnce)
        }
        return .rule(rule)
    }

    // MARK: Conditions

    private static func condition(_ filter: Filter, _ draft: inout Draft) -> DraftCondition {
        var parts: [DraftCondition] = []
        let fields = [("from", "from"), ("to", "to"), ("subject", "subject"), ("hasTheWord", nil)]
        for (property, field) in fields {
            guard let value = filter.value(property) else { continue }
            parts.append(read(value, field: field, filter.line(property), &draft))
        }
        if let value = filter.value("doesNotHaveTheWord") {
            // None of these words: Gmail's own search writes it as -{…}.
            parts.append(
                .not(
                    read(
                        value, field: nil, filter.line("doesNotHaveTheWord"), &draft, matchesAny: true,
                        isNegated: true)))
        }
        if filter.isOn("hasAttachment") { parts.append(.plain("has", "attachment")) }
        if let size = filter.value("size") { parts.append(self.size(size, filter, &draft)) }
        if parts.isEmpty {
            draft.dropped(filter.line, "entry", "the filter has no condition")
            return .never
        }
        return .all(parts)
    }

    private static func read(
        _ text: String, field: String?, _ line: Int, _ draft: inout Draft, matchesAny: Bool = false,
        isNegated: Bool = false
    ) -> DraftCondition {
        let (condition, query) = GmailQuery.read(
            text, field: field, matchesAny: matchesAny, isNegated: isNegated)
        for (piece, reason) in query.unknown { draft.dropped(line, piece, reason) }
        for (piece, reason) in query.changed { draft.changed(line, piece, reason) }
        return condition
    }

    private static func size(_ value: String, _ filter: Filter, _ draft: inout Draft) -> DraftCondition {
        let units = ["s_smb": "M", "s_skb": "K", "s_sb": ""]
        let unit = units[filter.value("sizeUnit") ?? "s_smb"]
        let sign = filter.value("sizeOperator") == "s_ss" ? "<" : ">"
        guard let unit, let number = Int(value), number >= 0, number < 1 << 40 else {
            draft.dropped(filter.line, "size=\(value)", "this is not a size")
            return .unknown
        }
        return .plain("size", "\(sign)\(number)\(unit)")
    }

    // MARK: Actions

    private static func actions(_ filter: Filter, _ draft: inout Draft) -> (
        actions: [DraftAction], left: [String]
    ) {
        var actions: [DraftAction] = []
        var left: [String] = []
        for (name, value, line) in filter.properties {
            let isOn = value.lowercased() == "true"
            switch name {
            case "label":
                let keyword = GmailTerm.keyword(value)
                if keyword != value {
                    draft.changed(line, "label=\(value)", "the label becomes '\(keyword)'")
                }
                actions.append(.label(keyword))
            case "forwardTo" where DraftAction.forwarding(to: value) != nil:
                draft.changed(line, "forwardTo=\(value)", DraftAction.forwardChange)
                actions += [DraftAction.forwarding(to: value)].compactMap { $0 }
            case "shouldMarkAsRead" where isOn: actions.append(.mark(read: true))
            case "shouldStar" where isOn: actions.append(.flag)
            case "from", "to", "subject", "hasTheWord", "doesNotHaveTheWord", "hasAttachment", "size",
                "sizeOperator",
                "sizeUnit", "excludeChats", "shouldArchive", "shouldTrash", "shouldMarkAsRead", "shouldStar":
                continue
            case _ where value.isEmpty || value.lowercased() == "false": continue
            case _:
                let reason = reasons[name] ?? "a rule cannot do this"
                draft.dropped(line, "\(name)=\(value)", reason)
                left.append("Not translated: \(name)=\(value): \(reason)")
            }
        }
        if filter.isOn("shouldTrash") {
            actions.append(.trash)
        } else if filter.isOn("shouldArchive") {
            actions.append(.archive)
        }
        return (actions, left)
    }

    private static let reasons = [
        "forwardTo": "this is not an address that a rule can forward to",
        "shouldNeverSpam": "opus cannot change Gmail's spam filter",
        "shouldSpam": "opus cannot change Gmail's spam filter",
        "shouldAlwaysMarkAsImportant": "opus has no importance; 'flag' and 'label' are the nearest",
        "shouldNeverMarkAsImportant": "opus has no importance",
        "smartLabelToApply": "only Gmail has tabs in the inbox",
        "cannedResponse": "the text of the answer is not in the file; add it with 'reply'",
    ]
}
