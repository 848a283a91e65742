import Models

/// Evaluates a tree of conditions, and each kind of test in it.
extension FactsView {
    func judge(_ condition: Condition) -> Truth {
        var captures: [String: String] = [:]
        return judge(condition, captures: &captures)
    }

    /// Evaluates cheap children first, and stops as soon as the result is known.
    func judge(_ condition: Condition, captures: inout [String: String]) -> Truth {
        switch condition {
        case .always: return .yes
        case .test(let test): return judge(test, captures: &captures)
        case .not(let inner): return judge(inner).inverted
        case .all(let branches):
            var answer = Truth.yes
            for index in branches.order {
                switch judge(branches.children[index], captures: &captures) {
                case .no: return .no
                case .unknown: answer = .unknown
                case .yes: break
                }
            }
            return answer
        case .any(let branches):
            var answer = Truth.no
            for index in branches.order {
                switch judge(branches.children[index], captures: &captures) {
                case .yes: return .yes
                case .unknown: answer = .unknown
                case .no: break
                }
            }
            return answer
        }
    }

    func judge(_ test: ConditionTest, captures: inout [String: String]) -> Truth {
        switch test.kind {
        case .address(let field, let matcher):
            return Truth(addresses(field).contains { surface.matches($0, matcher, captures: &captures) })
        case .text(let field, let matcher): return matches(field, matcher, captures: &captures)
        case .amount(let amount, let sign, let value):
            guard let values = amount.values(self) else { return .unknown }
            return Truth(values.contains { sign.holds($0, value) })
        case .age(let sign, let seconds): return Truth(context.compares(sign, seconds, since: facts.date))
        case .time(let field, let sign, let phrase): return compare(field, sign, phrase)
        case .weekday(let days): return Truth(days.contains(local.date.weekday))
        case .clock(let range): return Truth(range.contains(local.secondOfDay))
        case .state(let state): return state.holds(self)
        case .keyword(let matcher):
            return Truth(facts.keywords.contains { matches($0.rawValue, matcher) })
        case .mailbox(let matcher): return Truth(isIn(matcher))
        case .taskList(let matcher): return Truth(todos.contains { matches($0.list.rawValue, matcher) })
        case .waited(let sign, let seconds):
            return Truth(waits.contains { context.compares(sign, seconds, since: $0) })
        case .authentication(let method, let result):
            return Truth(authentication.results(of: method).contains(result))
        case .identity(let field, let matcher): return Truth(matches(field, matcher))
        case .thread(let inner): return conversation.has(inner, test.text)
        case .defined(let name): return referred("is:" + name, tables.defines[name])
        case .matched(let name): return referred("matched:" + name, tables.rules[name])
        }
    }

    private func referred(_ key: String, _ condition: Condition?) -> Truth {
        if let known = remembered[key] { return known }
        // Cycles are rejected when rules are compiled; if there is one anyway, it ends here.
        remembered[key] = .no
        let answer = condition.map { judge($0) } ?? .no
        remembered[key] = answer
        return answer
    }

    // MARK: Text

    private func matches(
        _ field: TextField, _ matcher: TextMatcher, captures: inout [String: String]
    ) -> Truth {
        if case .regex(let pattern) = matcher {
            guard let texts = raw(field) else { return .unknown }
            for text in texts {
                guard let groups = pattern.captures(in: text) else { continue }
                captures.merge(groups) { first, _ in first }
                return .yes
            }
            return .no
        }
        if case .anyText = field, body == nil, envelopeTexts.contains(where: { matcher.matches($0) }) {
            return .yes
        }
        guard let texts = folded(field) else { return .unknown }
        // A field that is present but empty counts as present.
        if case .header = field, case .present = matcher { return Truth(!texts.isEmpty) }
        return Truth(texts.contains { matcher.matches($0) })
    }

    func matches(_ name: String, _ matcher: NameMatcher) -> Bool { matcher.matches(name) }

    func isIn(_ matcher: NameMatcher) -> Bool {
        let mailbox = facts.mailbox
        return [mailbox.role?.rawValue, mailbox.displayName, mailbox.name.description]
            .contains { $0.map { matches($0, matcher) } ?? false }
            || matches(surface.plainName(of: mailbox), matcher)
    }

    private func matches(_ field: IdentityField, _ matcher: NameMatcher) -> Bool {
        switch (field, matcher) {
        case (.messageID, .name(let wanted)): facts.messageID?.rawValue == wanted
        case (.id, .name(let wanted)): facts.id.rawValue.hasPrefix(wanted)
        case (.messageID, .glob): facts.messageID.map { matcher.matches($0.rawValue) } ?? false
        case (.id, .glob): matcher.matches(facts.id.rawValue)
        }
    }

    // MARK: Time

    /// Compares the start: dates as dates, local times without a time zone in the time zone of the rules.
    private func compareEvent(_ sign: Comparison, _ phrase: String) -> Truth {
        guard let start = facts.event?.start else { return .no }
        let reading: LocalDateTime
        switch start {
        case .date(let day): reading = LocalDateTime(date: day, hour: 0, minute: 0, second: 0)
        case .instant(let time): reading = zone.local(time)
        case .local(let local, zone: _): reading = local
        }
        if let period = DatePeriod(phrase) { return Truth(sign.holds(reading.date, period)) }
        switch DatePhrase.resolve(phrase, clock: clock(now: context.now)) {
        case .date(let day): return Truth(sign.holds(reading.date, day))
        case .instant(let instant): return Truth(sign.holds(zone.instant(reading), instant))
        case .local(let other, zone: _): return Truth(sign.holds(reading, other))
        case nil: return .no
        }
    }

    private func compare(_ field: TimeField, _ sign: Comparison, _ phrase: String) -> Truth {
        let time: Timestamp
        switch field {
        case .date: time = facts.date
        case .received: time = facts.received
        case .sent:
            guard let sent = facts.sent else { return .no }
            time = sent
        case .event: return compareEvent(sign, phrase)
        }
        if let period = DatePeriod(phrase) { return Truth(sign.holds(zone.local(time).date, period)) }
        switch DatePhrase.resolve(phrase, clock: clock(now: context.now)) {
        case .date(let day): return Truth(sign.holds(zone.local(time).date, day))
        case .instant(let instant): return Truth(sign.holds(time, instant))
        case .local(let reading, zone: _): return Truth(sign.holds(zone.local(time), reading))
        case nil: return .no
        }
    }
}
