import Models

/// What a message had where a condition looked, for `explain` and for failed rule tests.
extension FactsView {
    static let seenLimit = 200

    /// A short text; strangers' words are in it, unescaped.
    func seen(_ test: ConditionTest) -> String {
        switch test.kind {
        case .address(let field, _):
            let all = addresses(field).map(\.address.description)
            return all.isEmpty ? "missing" : shortened(all.joined(separator: ", "))
        case .text(let field, let matcher): return seen(field, matcher)
        case .number(.size, _, _): return counted(facts.size, "byte")
        case .number(.attachmentSize, _, _):
            return facts.attachments.isEmpty
                ? "no attachments"
                : facts.attachments.map { counted($0.size, "byte") }.joined(separator: ", ")
        case .count(.threadSize, _, _):
            return conversation.size.map { counted($0, "message") } ?? "the conversation was not read"
        case .count(.senderCount, _, _):
            return senderCount.map { counted($0, "message") } ?? "nobody counted"
        case .age: return Self.age(context.now - facts.date)
        case .time(.received, _, _): return reading(facts.received)
        case .time(.sent, _, _): return facts.sent.map { reading($0) } ?? "missing"
        case .time(.date, _, _): return reading(facts.date)
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
            if context.authenticationServers.isEmpty { return "no trusted server is named (authserv-id)" }
            return results.isEmpty ? "no result" : shortened(results.joined(separator: ", "))
        case .thread:
            return conversation.size.map { counted($0, "message") } ?? "the conversation was not read"
        case .state(let state): return seen(state)
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
        case .attachmentName, .attachmentType:
            return texts.isEmpty ? "no attachments" : shortened(texts.joined(separator: ", "))
        case .subject: return shortened("\"\(facts.subject)\"")
        case .header: return texts.isEmpty ? "missing" : shortened(texts.joined(separator: ", "))
        }
    }

    private func seen(_ state: State) -> String {
        switch state {
        case .unread, .read: return facts.flags.contains(.seen) ? "read" : "unread"
        case .flagged: return facts.flags.contains(.flagged) ? "flagged" : "not flagged"
        case .answered: return facts.flags.contains(.answered) ? "answered" : "not answered"
        case .draft: return facts.flags.contains(.draft) ? "a draft" : "no draft"
        case .duplicate:
            guard let copies = context.earlierCopies else { return "nobody looked for copies" }
            if let first = copies[facts.id] { return "a copy came \(reading(first))" }
            return facts.messageID == nil ? "no Message-ID" : "no earlier copy"
        case .bulk:
            let found = ["list-id", "list-unsubscribe", "precedence"].compactMap { name in
                header(name).first.map { "\(name): \($0)" }
            }
            return found.isEmpty
                ? "no List-Id, List-Unsubscribe or Precedence" : shortened(found.joined(separator: ", "))
        case .bounce: return isBounce ? "a delivery report" : "no delivery report"
        case .invite, .hasAttachment, .hasPDF:
            let names = facts.attachments.map { $0.name.isEmpty ? $0.contentType : $0.name }
            return names.isEmpty ? "no attachments" : shortened(names.joined(separator: ", "))
        case .hasOpenTask:
            return facts.openTodos.isEmpty ? "no open task" : "\(facts.openTodos.count) open"
        case .receipt, .signed, .encrypted:
            return header("content-type").first.map { shortened($0) } ?? "no type"
        case .signedValid, .signedBroken:
            return facts.signature.map { shortened($0.words) }
                ?? "no signature of the whole message was checked"
        case .threadUnanswered, .threadReplied, .threadWaiting:
            guard let isUnanswered = conversation.isUnanswered else { return "the conversation was not read" }
            let last = isUnanswered ? "the last word is theirs" : "the last word is yours"
            return conversation.hasOwn == true ? last : last + ", none is yours"
        case .taskWaiting, .taskOverdue:
            let tasks = todos.map { $0.list.rawValue + ($0.due.map { ", due \(self.spelling($0))" } ?? "") }
            return tasks.isEmpty ? "no open task" : shortened(tasks.joined(separator: "; "))
        case .firstSeen:
            return senderCount.map { counted($0, "message") + " of the writer" } ?? "nobody counted"
        }
    }

    private func spelling(_ date: TodoDate) -> String { Rendering(view: self, captures: [:]).spelling(date) }

    private func reading(_ time: Timestamp) -> String {
        let local = zone.local(time)
        return "\(local.date) \(local.clock.prefix(5))"
    }

    private static func age(_ seconds: Int64) -> String {
        switch abs(seconds) {
        case ..<3_600: counted(seconds / 60, "minute")
        case ..<172_800: counted(seconds / 3_600, "hour")
        case _: counted(seconds / 86_400, "day")
        }
    }

    func shortened(_ text: String) -> String {
        text.count <= Self.seenLimit ? text : text.prefix(Self.seenLimit - 1) + "…"
    }
}
