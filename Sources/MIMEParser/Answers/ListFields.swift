import Models

/// Fields that list software writes. Mail of people through a list has them too, so they do not make a message
/// automatic.
enum ListFields {
    static let names: Set<String> = through.union(["x-list-administrivia", "sender"])

    private static let through: Set<String> = [
        "list-id", "list-post", "list-unsubscribe", "list-help", "list-owner", "list-archive", "mailing-list",
        "x-mailing-list", "x-beenthere", "x-mailman-version",
    ]

    /// Whether the message came through a list. Old software writes only `Sender`.
    static func isThroughList(_ evidence: AnswerEvidence) -> Bool {
        evidence.hasAny(through) || evidence.all("sender").contains { isOfRobot($0.prefix { $0 != "@" }) }
    }

    /// Whether the sender is the list software, or the message is about the list.
    static func isOfSoftware(_ evidence: AnswerEvidence) -> Bool {
        if evidence.all("x-list-administrivia").contains("yes") { return true }
        let names = evidence.from.map { $0.localPart.lowercased()[...] }
        if names.contains(where: { robots.contains(String($0)) }) { return true }
        // A person may have an address such as info-request@, so another sign is required.
        return names.contains(where: isOfRobot) && (isThroughList(evidence) || isOfProgram(evidence))
    }

    private static func isOfProgram(_ evidence: AnswerEvidence) -> Bool {
        evidence.has("auto-submitted") || evidence.has("precedence")
            || AutomaticFields.hasEmptyReturnPath(evidence)
    }

    private static func isOfRobot(_ name: Substring) -> Bool {
        let name = name.drop { $0 == "<" }
        return robots.contains(String(name)) || starts.contains { name.hasPrefix($0) }
            || ends.contains { name.hasSuffix($0) } || name.contains("-confirm+")
    }

    private static let robots: Set<String> = [
        "listserv", "majordomo", "mailman", "sympa", "ezmlm", "mlmmj",
    ]
    private static let starts = ["owner-", "listserv-", "mailman-bounces"]
    private static let ends = [
        "-request", "-owner", "-bounces", "-bounce", "-confirm", "-return", "+confirm", "+bounces", "+owner",
        "+help", "+unsubscribe", "+subconf", "+noreply",
    ]
}
