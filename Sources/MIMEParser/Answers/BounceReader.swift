import Models

/// Whether a message reports that another one was not delivered, was delayed, or was delivered.
struct BounceReader {
    private enum Outcome {
        case failed
        case delayed
        case arrived
    }

    private static let mostRecipients = 32

    let evidence: AnswerEvidence

    /// A bounce, or a receipt of delivery or of reading; nil: anything else.
    var kind: AnswerKind? {
        let isOfServer = isFromDaemon || AutomaticFields.hasEmptyReturnPath(evidence) || isFromPostmaster
        if let report = evidence.report, evidence.isMultipartReport || isOfServer { return kind(of: report) }
        if evidence.isMultipartReport { return kindOfStoredReport }
        if evidence.first("content-class")?.contains("mdn") == true { return .receipt }
        let saysSo =
            evidence.has("x-failed-recipients") || isFromDaemon
            || (isFromPostmaster && AutomaticFields.hasEmptyReturnPath(evidence))
        let isByMachine = isOfServer || AutomaticFields.submission(evidence) == .answer
        return saysSo || (isByMachine && AnswerSubjects.isBounce(evidence.subject)) ? kindOfText : nil
    }

    // MARK: Senders

    private var locals: [String] { evidence.from.map { $0.localPart.lowercased() } }

    private var isFromDaemon: Bool {
        locals.contains { Self.daemons.contains($0) || $0.hasPrefix("mailer-daemon") }
    }

    private static let daemons: Set<String> = [
        "mailer-daemon", "mailerdaemon", "mail-daemon", "maildaemon",
        // The address of every Exchange system.
        "microsoftexchange329e71ec88ae4615bbc36ab6ce41109e",
    ]

    private var isFromPostmaster: Bool {
        locals.contains { ["postmaster", "mdaemon", "mail-system"].contains($0) }
    }

    // MARK: Reports

    private func kind(of report: Report) -> AnswerKind {
        switch report {
        case .disposition: return .receipt
        case .delivery(let report):
            let actions = report.recipients.map(\.action)
            let failed = report.recipients.filter { $0.action == .failed || $0.action == nil }
            let late = report.recipients.filter { $0.action == .delayed }
            if failed.isEmpty, late.isEmpty, !actions.isEmpty { return .receipt }
            let affected = failed.isEmpty ? late : failed
            let addresses = affected.compactMap {
                ($0.originalRecipient ?? $0.finalRecipient).flatMap { EmailAddress($0) }
            }
            return .bounce(
                recipients: addresses.isEmpty
                    ? namedRecipients : Array(addresses.prefix(Self.mostRecipients)),
                isPermanent: late.isEmpty || !failed.isEmpty)
        }
    }

    /// A report whose text shows no recipients.
    private var kindOfStoredReport: AnswerKind {
        let type = evidence.first("content-type") ?? ""
        if type.contains("disposition-notification") { return .receipt }
        // Complaints about spam, and reports on forged mail. RFC 5965.
        if type.contains("feedback-report") { return .automaticReply(returns: nil) }
        return kindOfText
    }

    private var kindOfText: AnswerKind {
        switch outcome {
        case .arrived: .receipt
        case .failed: .bounce(recipients: namedRecipients, isPermanent: true)
        case .delayed: .bounce(recipients: namedRecipients, isPermanent: false)
        }
    }

    // MARK: Text

    private var outcome: Outcome {
        let text = evidence.subject + "\n" + evidence.ownText.prefix(2_000).lowercased()
        if Self.arrived.contains(where: { Self.says($0, in: text) }) { return .arrived }
        return Self.delayed.contains { text.contains($0) } ? .delayed : .failed
    }

    /// Whether the phrase is in the text without a denial before it: "could not be delivered to …", "Undelivered: …".
    private static func says(_ phrase: String, in text: String) -> Bool {
        var rest = text[...]
        while let found = rest.firstRange(of: phrase) {
            let before = text[..<found.lowerBound].suffix(80)
            let isInsideWord = isASCIILetter(phrase.first) && isASCIILetter(before.last)
            let words = before.split { !$0.isLetter }.suffix(3)
            if !isInsideWord, !words.contains(where: { denials.contains(String($0)) }) { return true }
            rest = text[found.upperBound...]
        }
        return false
    }

    private static func isASCIILetter(_ character: Character?) -> Bool {
        character.map { $0.isASCII && $0.isLetter } ?? false
    }

    /// "t" is the end of "couldn't".
    private static let denials: Set<String> = [
        "not", "cannot", "never", "t", "nicht", "pas", "no", "non", "não", "niet", "nie", "ikke", "inte",
    ]

    /// What the header names, else the addresses in the text that belong neither to the user nor to the server.
    private var namedRecipients: [EmailAddress] {
        let named = evidence.all("x-failed-recipients").flatMap { $0.split { ", ;<>".contains($0) } }
        let found = (named.isEmpty ? Self.words(of: evidence.ownText) : named).compactMap {
            EmailAddress(String($0))
        }
        let others = Set((evidence.to + evidence.from).map(\.comparable))
        var seen: Set<String> = []
        return Array(
            found.filter { address in
                let isServer = ["postmaster", "mailer-daemon"].contains(address.localPart.lowercased())
                return !isServer && address.domain.contains(".") && !others.contains(address.comparable)
                    && seen.insert(address.comparable).inserted
            }
            .prefix(Self.mostRecipients))
    }

    /// The words with an `@`, without the marks round them.
    private static func words(of text: String) -> [Substring] {
        text.split { $0.isWhitespace || "<>()[]\"',;:|*".contains($0) }.filter { $0.contains("@") }.map {
            word in
            var word = word
            while let last = word.last, last == "." || last == "!" { word.removeLast() }
            return word
        }
    }

    private static let delayed: [String] = [
        "delayed", "delay)", "could not send message for past", "still being retried", "will keep trying",
        "will be retried",
        "has not yet been delivered", "have not yet been delivered", "not been delivered yet",
        "will continue to try", "still trying",
        "temporarily deferred", "verzögert", "noch nicht zugestellt", "weitere zustellversuche", "retardé",
        "nouvelle tentative",
        "retrasad", "se seguirá intentando", "ritardat", "atrasad", "vertraagd", "opóźnion", "задерж",
        "gecikti", "försena",
        "forsinket", "viivästy", "遅延", "遅れて", "延迟", "延遲", "지연",
    ]

    private static let arrived: [String] = [
        "successful mail delivery", "notification (success)", "successfully delivered",
        "was successfully relayed",
        "delivered to the following recipients", "(relay)", "relayed:", "delivered:",
        "erfolgreich zugestellt", "zugestellt:",
        "remis avec succès", "entregado correctamente", "consegnato correttamente", "配信されました", "已送达:",
    ]
}
