import Models

/// Conditions on the addresses of a message.
extension ConditionEntry {
    static let from = ConditionEntry(
        "from", "addresses", .address(.from), "an address of From", "from:@acme.example")

    static let to = ConditionEntry("to", "addresses", .address(.to), "an address of To", "to:me")

    static let cc = ConditionEntry("cc", "addresses", .address(.cc), "an address of Cc", "cc:me")

    static let bcc = ConditionEntry("bcc", "addresses", .address(.bcc), "an address of Bcc", "bcc:me")

    static let replyTo = ConditionEntry(
        "reply-to", "addresses", .address(.replyTo), "an address of Reply-To", "reply-to:*@desk.example")

    static let sender = ConditionEntry(
        "sender", "addresses", .address(.sender), "the address of Sender", "sender:bob@x.org")

    static let recipient = ConditionEntry(
        "recipient", "addresses", .address(.recipient), "an address of To, Cc or Bcc",
        "recipient:team@acme.example")

    static let deliveredTo = ConditionEntry(
        "delivered-to", "addresses", .address(.deliveredTo), "the recipient of the envelope",
        "delivered-to:shop@me.example")

    static let returnPath = ConditionEntry(
        "return-path", "addresses", .address(.returnPath), "the sender of the envelope",
        "return-path:@bounces.example")
}
