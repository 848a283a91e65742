import Models
import YAMLSource

/// `defer: next monday`: takes the message out of the inbox until then.
struct DeferAction: ActionTemplate {
    static let entry = ActionEntry(
        .deferUntil, value: "a date", form: .text, fields: ["until"], required: ["until"],
        help: "out of the inbox until then (08:00 if no time is given)", example: "defer: next monday")

    let until: Template

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        guard node.mapping != nil else { return source.date(node, "'defer'").map { [Self(until: $0)] } ?? [] }
        guard
            let place = source.required("until", in: node, of: entry, "defer: { until: next monday }"),
            let until = source.date(place, "'until'")
        else { return [] }
        return [Self(until: until)]
    }

    var usesText: Bool { until.usesText }

    func make(_ maker: inout ActionMaker) -> Action? {
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
        guard let phrase = report.date(node, "'defer'", captures: [])?.source else { return nil }
        return { outcome in
            guard case .place(.deferUntil(let time)) = outcome.disposition else {
                return "defer: expected '\(phrase)', got \(outcome.disposition.name.rawValue)"
            }
            let wanted = outcome.resolved(phrase).flatMap {
                DatePhrase.instant(of: $0, timeZone: outcome.context.timeZone)
            }
            return outcome.unlike(
                "defer", outcome.spelled(wanted.map { .instant($0) }), outcome.spelled(.instant(time)))
        }
    }
}
