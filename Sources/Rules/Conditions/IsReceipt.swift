import Models

/// `is:receipt`: a disposition notification. RFC 8098 §3.
extension ConditionEntry {
    static let isReceipt = ConditionEntry(
        "is:receipt", "lists and machines", .state(.receipt), "says that a mail of yours was read",
        "is:receipt")
}

extension State {
    static let receipt = State(
        name: "is:receipt", needs: .headers, headerNames: ["content-type"], holds: { Truth($0.isReceipt) },
        seen: { $0.seenType })
}

extension MessageSight {
    var isReceipt: Bool {
        hasType { $0.hasPrefix("message/disposition-notification") }
            || foldedHeader("content-type").contains {
                $0.string.hasPrefix("multipart/report") && $0.string.contains("disposition-notification")
            }
    }

    /// Whether the message, or a part that is shown as a file, has a matching type.
    func hasType(_ isWanted: (String) -> Bool) -> Bool {
        foldedHeader("content-type").contains { isWanted($0.string) }
            || facts.attachments.contains { isWanted($0.contentType) }
    }

    var seenType: String { header("content-type").first.map { shortened($0) } ?? "no type" }
}
