import Models

/// A test for an imported rule, as lines of YAML.
struct DraftTestCase: Hashable {
    /// The id of the tested rule.
    var rule: String
    var isPositive: Bool
    var mail: DraftMail
    var expectation: String
    /// Whether the rule tests times, so that its tests need a clock.
    var needsClock = false

    var name: String { isPositive ? "\(rule) takes its mail" : "\(rule) leaves other mail alone" }

    func lines(named name: String) -> [String] {
        let at = !needsClock ? [] : ["at: 2026-03-20 12:00"]
        return RuleWriter.listed(
            ["name: \(RuleWriter.quoted(name))"] + at + ["mail:"] + RuleWriter.indented(mail.lines) + [
                "expect: { \(expectation) }"
            ])
    }

    /// Possible tests, the best first. The importer uses the first of each kind that passes.
    ///
    /// `isTimed`: a neighbouring rule tests times, such as the `if` of an `else`. Then the mails have dates, and the
    /// tests a clock.
    static func candidates(_ rule: DraftRule, isTimed: Bool) -> [DraftTestCase] {
        guard rule.isEnabled else { return [] }
        let needsClock = isTimed || asksTime(rule.when)
        var result: [DraftTestCase] = []
        var mail = DraftMail()
        if mail.satisfy(rule.when) {
            for expectation in [full(rule), "rule: \(rule.id)"] {
                for mail in isTimed ? [mail] + dated(mail) : [mail] {
                    result.append(
                        Self(
                            rule: rule.id, isPositive: true, mail: mail, expectation: expectation,
                            needsClock: needsClock))
                }
            }
        }
        let others = nearMisses(rule.when) + [DraftMail()]
        for mail in isTimed ? others + dated(DraftMail()) : others {
            result.append(
                Self(
                    rule: rule.id, isPositive: false, mail: mail, expectation: "rule: none",
                    needsClock: needsClock))
        }
        return result
    }

    /// The mail at times of other years, weekdays and hours, so that one of them does not match conditions on dates.
    private static func dated(_ mail: DraftMail) -> [DraftMail] {
        guard mail.date == nil, mail.clock == nil else { return [] }
        return [
            ("2026-03-20", "00:30"), ("2026-03-15", "03:10"), ("2026-03-18", "19:45"),
            ("2001-01-02", "08:20"), ("2025-06-04", "15:00"),
        ]
        .map { date, clock in
            var mail = mail
            (mail.date, mail.clock) = (date, clock)
            return mail
        }
    }

    static func asksTime(_ condition: DraftCondition) -> Bool {
        switch condition {
        case .always, .never, .unknown: false
        case .not(let inner): asksTime(inner)
        case .all(let children), .any(let children): children.contains(where: asksTime)
        case .test(let test):
            ["age", "older", "newer", "date", "sent", "received", "weekday", "time", "month", "day"].contains(
                test.key)
        }
    }

    static func full(_ rule: DraftRule) -> String {
        var parts = ["rule: \(rule.id)"]
        var labels: [String] = []
        for action in rule.actions {
            switch (action.name, action.value) {
            case (.label, .text(let name)): if !name.contains("{{") { labels.append(name) }
            case (.unlabel, _), (.vacation, _): break
            case (.flag, _): parts.append("flagged: true")
            case (.unflag, _): parts.append("flagged: false")
            case (.mark, _): parts.append("read: \(action == .mark(read: true))")
            case (let name, .text(let value)):
                parts.append("\(name.rawValue): \(RuleWriter.quoted(value))")
            case (let name, _): parts.append("disposition: \(name.rawValue)")
            }
        }
        if !labels.isEmpty { parts.append("labels: \(DraftMail.list(labels))") }
        return parts.joined(separator: ", ")
    }

    /// Mails for which all but one part of the condition holds.
    private static func nearMisses(_ condition: DraftCondition) -> [DraftMail] {
        guard case .all(let children) = condition else { return [] }
        return children.indices.reversed().prefix(3).compactMap { left in
            var mail = DraftMail()
            for (index, child) in children.enumerated() where index != left {
                guard mail.satisfy(child) else { return nil }
            }
            // For a part that forbids something, the mail has what it forbids.
            if case .not(let inner) = children[left] { guard mail.satisfy(inner) else { return nil } }
            return mail
        }
    }
}
