import Models
import YAMLSource

/// Reads `mailboxes:`, `expire:` and `on:` of a rule.
extension RuleFileReader {
    func scope(_ node: YAMLNode) -> RuleScope {
        var scope = RuleScope()
        if let places = node["mailboxes"] {
            if places.sequence?.isEmpty ?? false {
                report.error("R003", places, "the list of mailboxes is empty")
            }
            scope.mailboxes = report.texts(places, "a mailbox").compactMap { text, item in mailbox(text, item)
            }
        }
        if let day = node["expire"], let text = report.text(day, "'expire'") {
            scope.expires = CalendarDate(text)
            if scope.expires == nil {
                report.error("R022", day, "'\(text)' is not a calendar day", "expire: 2026-12-31")
            }
        }
        if let on = node["on"], let text = report.text(on, "'on'") {
            scope.schedule = Schedule(text)
            if scope.schedule == nil {
                report.error(
                    "R022", on, "'\(text)' is not a time of the week",
                    "daily 07:00, weekdays 18:00, mon,thu 9am"
                )
            }
        }
        return scope
    }

    private func mailbox(_ text: String, _ node: YAMLNode) -> NameMatcher? {
        guard text.contains("*") else { return .name(text.folded) }
        if let glob = try? Pattern.glob(text) { return .glob(glob) }
        report.error("R021", node, "'\(text)' is too long")
        return nil
    }
}
