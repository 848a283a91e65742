import Models

/// Conditions on the text of a message.
extension ConditionEntry {
    static let subject = ConditionEntry(
        "subject", "text", .text(.subject), "the subject", "subject:\"q3 plan\"")

    static let body = ConditionEntry(
        "body", "text", .text(.body), "the readable text of the message", "body:unsubscribe")

    static let text = ConditionEntry(
        "text", "text", .text(.anyText), "subject, names, addresses and body", "text:invoice")

    static let header = ConditionEntry(
        "header:<name>", "text", .header, "any header field; without a value: the field exists",
        "header:X-Spam-Flag:=yes")
}
