import Models

/// Conditions on the fields that mailing lists and programs set.
extension ConditionEntry {
    static let listId = ConditionEntry(
        "list-id", "lists and machines", .text(.header("list-id")), "the List-Id field", "list-id:*")

    static let list = ConditionEntry(
        "list", "lists and machines", .text(.header("list-id")), "short for list-id", "list:swift")

    static let listUnsubscribe = ConditionEntry(
        "list-unsubscribe", "lists and machines", .text(.header("list-unsubscribe")),
        "the List-Unsubscribe field", "list-unsubscribe:*")

    static let precedence = ConditionEntry(
        "precedence", "lists and machines", .text(.header("precedence")), "the Precedence field",
        "precedence:=bulk")

    static let autoSubmitted = ConditionEntry(
        "auto-submitted", "lists and machines", .text(.header("auto-submitted")), "the Auto-Submitted field",
        "auto-submitted:auto-replied")
}
