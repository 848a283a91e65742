import Models

/// `is:invite`: has a calendar part.
extension ConditionEntry {
    static let isInvite = ConditionEntry(
        "is:invite", "lists and machines", .state(.invite), "carries a calendar part", "is:invite")

    static let hasInvite = ConditionEntry(
        "has:invite", "structure", .state(.invite), "the same as is:invite", "has:invite")
}

extension State {
    static let invite = State(
        name: "is:invite", needs: .headers, headerNames: ["content-type"],
        sieve: .some([
            .hasPart("text/calendar"), .hasPart("application/ics"), .hasFile(ending: "ics"),
        ]),
        holds: { Truth($0.isInvite) }, seen: { $0.list($0.attachmentNames, none: "no attachments") })
}

extension MessageSight {
    fileprivate var isInvite: Bool {
        facts.attachments.contains {
            $0.contentType == "text/calendar" || $0.contentType == "application/ics"
                || $0.name.lowercased().hasSuffix(".ics")
        } || foldedHeader("content-type").contains { $0.string.hasPrefix("text/calendar") }
    }
}
