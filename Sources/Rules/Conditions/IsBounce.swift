import MIMEParser
import Models

/// `is:bounce`: a delivery report.
extension ConditionEntry {
    static let isBounce = ConditionEntry(
        "is:bounce", "lists and machines", .state(.bounce), "a delivery report", "is:bounce")
}

extension State {
    static let bounce = State(
        name: "is:bounce", needs: .content, headerNames: AnswerKind.headerNames,
        sieve: .some([
            .plain("address :localpart :is \"from\" \"mailer-daemon\""),
            .plain("envelope :is \"from\" \"\"", requires: "envelope"),
            .hasPart("message/delivery-status"),
            .plain("header :matches \"content-type\" \"multipart/report*delivery-status*\""),
        ]),
        holds: { Truth($0.isBounce) }, seen: { $0.isBounce ? "a delivery report" : "not a delivery report" })
}

extension MessageSight {
    /// An empty return path alone does not make a bounce: out-of-office replies have one, too. RFC 3834 §4.
    var isBounce: Bool {
        if facts.from.contains(where: { $0.localPart.lowercased() == "mailer-daemon" }) { return true }
        if facts.attachments.contains(where: { $0.contentType == "message/delivery-status" }) { return true }
        let isReport = foldedHeader("content-type").contains {
            $0.string.hasPrefix("multipart/report") && $0.string.contains("delivery-status")
        }
        if isReport { return true }
        switch AnswerKind(of: facts, asOf: zone.local(facts.date).date) {
        case .bounce: return true
        case .human, .automaticReply, .receipt, .calendar, .list: return false
        }
    }
}
