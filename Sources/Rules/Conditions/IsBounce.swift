import Models

/// `is:bounce`: a delivery report.
extension ConditionEntry {
    static let isBounce = ConditionEntry(
        "is:bounce", "lists and machines", .state(.bounce), "a delivery report", "is:bounce")
}

extension State {
    static let bounce = State(
        name: "is:bounce", needs: .headers, headerNames: ["return-path", "content-type"],
        sieve: .some([
            .plain("address :localpart :is \"from\" \"mailer-daemon\""),
            .plain("envelope :is \"from\" \"\"", requires: "envelope"),
            .hasPart("message/delivery-status"),
            .plain("header :matches \"content-type\" \"multipart/report*delivery-status*\""),
        ]),
        holds: { Truth($0.isBounce) }, seen: { $0.isBounce ? "a delivery report" : "not a delivery report" })
}

extension MessageSight {
    var isBounce: Bool {
        let senders = facts.from.map { $0.localPart.lowercased() }
        if senders.contains("mailer-daemon") { return true }
        if header("return-path").contains(where: { $0.trimmingBlanks() == "<>" }) { return !isReceipt }
        if facts.attachments.contains(where: { $0.contentType == "message/delivery-status" }) { return true }
        return foldedHeader("content-type").contains {
            $0.string.hasPrefix("multipart/report") && $0.string.contains("delivery-status")
        }
    }
}
