import Models

/// The actual value of a message for a condition, for `explain` and for failed rule tests.
extension FactsView {
    /// A short text; it contains untrusted text, unescaped.
    func seen(_ test: ConditionTest) -> String {
        switch test.kind {
        case .address(let field, _):
            let all = addresses(field).map(\.address.description)
            return all.isEmpty ? "missing" : shortened(all.joined(separator: ", "))
        case .text(let field, let matcher): return seen(field, matcher)
        case .amount(let amount, _, _): return amount.seen(self)
        case .age: return Self.age(context.now - facts.date)
        case .time(.received, _, _): return reading(facts.received)
        case .time(.sent, _, _): return facts.sent.map { reading($0) } ?? "missing"
        case .time(.date, _, _): return reading(facts.date)
        case .time(.event, _, _): return seenEvent
        case .weekday:
            return ["mon", "tue", "wed", "thu", "fri", "sat", "sun"][local.date.weekday - 1]
        case .clock: return String(local.clock.prefix(5))
        case .taskList:
            return todos.isEmpty
                ? "no open task" : shortened(todos.map(\.list.rawValue).joined(separator: ", "))
        case .waited:
            return waits.isEmpty
                ? "no task that waits" : waits.map { Self.age(context.now - $0) }.joined(separator: ", ")
        case .authentication(let method, _):
            let results = authentication.results(of: method)
            if context.authenticationServers.isEmpty { return "no trusted server is set (authserv-id)" }
            return results.isEmpty ? "no result" : shortened(results.joined(separator: ", "))
        case .identity(.messageID, _): return shortened(facts.messageID?.rawValue ?? "missing")
        case .identity(.id, _): return facts.id.rawValue
        case .thread:
            return conversation.size.map { counted($0, "message") } ?? "the conversation was not read"
        case .state(let state): return state.seen(self)
        case .keyword:
            return facts.keywords.isEmpty
                ? "no labels" : shortened(facts.keywords.sorted().map(\.rawValue).joined(separator: ", "))
        case .mailbox: return shortened(facts.mailbox.displayName)
        case .defined, .matched:
            var captures: [String: String] = [:]
            switch judge(test, captures: &captures) {
            case .yes: return "true"
            case .no: return "false"
            case .unknown: return "unknown"
            }
        }
    }

    private func seen(_ field: TextField, _ matcher: TextMatcher) -> String {
        guard let texts = raw(field) else { return "the text was not fetched" }
        if case .regex(let pattern) = matcher {
            for text in texts {
                guard let match = pattern.firstMatch(in: text) else { continue }
                let groups = match.groups.sorted { $0.key < $1.key }.map { "\($0.key) = \"\($0.value)\"" }
                return shortened(groups.isEmpty ? "\"\(match.whole)\"" : groups.joined(separator: ", "))
            }
        }
        switch field {
        case .body, .anyText: return counted(facts.text?.utf8.count ?? 0, "byte") + " of text"
        case .attachmentText:
            return counted(texts.reduce(0) { $0 + $1.utf8.count }, "byte") + " of text in files"
        case .attachmentName, .attachmentType:
            return texts.isEmpty ? "no attachments" : shortened(texts.joined(separator: ", "))
        case .subject: return shortened("\"\(facts.subject)\"")  // prose: quoted
        case .header: return texts.isEmpty ? "missing" : shortened(texts.joined(separator: ", "))
        }
    }

    private static func age(_ seconds: Int64) -> String {
        switch abs(seconds) {
        case ..<3_600: counted(seconds / 60, "minute")
        case ..<172_800: counted(seconds / 3_600, "hour")
        case _: counted(seconds / 86_400, "day")
        }
    }
}
