import Models
import YAMLSource

/// `defer: next monday`: removes the message from the inbox until that day; `defer: someday` has no date.
struct DeferAction: ActionTemplate {
    static let entry = ActionEntry(
        .deferUntil, value: "a date, or someday", form: .text, fields: ["until"], required: ["until"],
        help: "out of the inbox until then (08:00 if no time is given), or until an answer comes",
        example: "defer: next monday")

    enum When: Sendable {
        case date(Template)
        case someday
    }

    let when: When

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        guard node.mapping != nil else { return when(node, "'defer'", source).map { [Self(when: $0)] } ?? [] }
        guard
            let place = source.required("until", in: node, of: entry, "defer: { until: next monday }"),
            let when = when(place, "'until'", source)
        else { return [] }
        return [Self(when: when)]
    }

    private static func when(_ node: YAMLNode, _ name: String, _ source: ActionSource) -> When? {
        if node.scalar == DeferredUntil.somedayWord { return .someday }
        return source.date(node, name).map(When.date)
    }

    var usesText: Bool {
        switch when {
        case .date(let template): template.usesText
        case .someday: false
        }
    }

    func make(_ maker: inout ActionMaker) -> Action? {
        guard case .date(let until) = when else { return .deferSomeday }
        let rendering = maker.rendering
        guard let date = rendering.date(until),
            let time = DatePhrase.instant(of: date, timeZone: rendering.view.zone.identifier)
        else { return maker.fail("found no date to defer to in '\(rendering.text(until))'") }
        guard time > rendering.view.context.now else {
            return maker.fail("defers to \(rendering.spelling(.instant(time))), which is in the past")
        }
        return .deferUntil(time)
    }

    static let expectation: ActionExpectation? = .init(key: "defer") { node, report in
        if node.scalar == DeferredUntil.somedayWord {
            return { outcome in
                guard case .place(.deferUntil(let until)) = outcome.disposition else {
                    return "defer: expected 'someday', got \(outcome.disposition.name.rawValue)"
                }
                return until == .someday ? nil : "defer: expected 'someday', got \(until.word)"
            }
        }
        guard let phrase = report.date(node, "'defer'", captures: [])?.source else { return nil }
        return { outcome in
            guard case .place(.deferUntil(let until)) = outcome.disposition else {
                return "defer: expected '\(phrase)', got \(outcome.disposition.name.rawValue)"
            }
            guard let time = until.time else { return "defer: expected '\(phrase)', got someday" }
            let wanted = outcome.resolved(phrase).flatMap {
                DatePhrase.instant(of: $0, timeZone: outcome.context.timeZone)
            }
            return outcome.unlike(
                "defer", outcome.spelled(wanted.map { .instant($0) }), outcome.spelled(.instant(time)))
        }
    }
}
