import Models

/// Conditions on the labels and the mailbox of a message.
extension ConditionEntry {
    static let keyword = ConditionEntry("keyword", "state", .keyword, "has this label", "keyword:project-x")

    static let label = ConditionEntry("label", "state", .keyword, "the same as keyword", "label:reading")

    static let inMailbox = ConditionEntry(
        "in", "state", .mailbox, "is in this mailbox, or in the one with this role", "in:archive")
}
