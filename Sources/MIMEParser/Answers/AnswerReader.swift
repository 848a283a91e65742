import Models

/// Determines the kind of an answer from the evidence, the strongest first: reports, calendars, the header, and finally
/// subject and text.
struct AnswerReader {
    /// If the own text has more characters, the subject alone does not make a message automatic.
    private static let shortText = 1_500

    private let evidence: AnswerEvidence
    private let day: CalendarDate

    init(_ evidence: AnswerEvidence, day: CalendarDate) {
        self.evidence = evidence
        self.day = day
    }

    var kind: AnswerKind {
        if let kind = BounceReader(evidence: evidence).kind { return kind }
        if isCalendar { return .calendar }
        let submission = AutomaticFields.submission(evidence)
        if submission == .byPerson { return .human }
        if ListFields.isOfSoftware(evidence) { return .list }
        if isSaidByHeader(submission) { return isReceipt ? .receipt : automaticReply }
        return isAcknowledgement || isSaidBySubject ? automaticReply : .human
    }

    private var automaticReply: AnswerKind {
        .automaticReply(returns: ReturnDate(evidence.ownText, day: day).value)
    }

    // MARK: Header

    private func isSaidByHeader(_ submission: AutomaticFields.Submission?) -> Bool {
        if submission == .answer || AutomaticFields.holds(evidence) { return true }
        if AutomaticFields.isOfExchangeRule(evidence) { return true }
        // Ticket systems write the same fields into mail of their staff, so the text decides.
        if RelaySystems.wrote(evidence) { return false }
        if submission == .generated { return true }
        if AutomaticFields.isBulk(evidence), !ListFields.isThroughList(evidence) { return true }
        return AutomaticFields.hasEmptyReturnPath(evidence)
    }

    private var isReceipt: Bool { AnswerSubjects.isReceipt(evidence.subject) }

    private var isCalendar: Bool {
        switch evidence.calendar {
        case .shown: true
        case .file: AnswerSubjects.isCalendar(evidence.subject)
        case nil: false
        }
    }

    // MARK: Text

    /// Whether the message is the confirmation of a ticket system, or of an address that accepts no answers.
    private var isAcknowledgement: Bool {
        guard RelaySystems.wrote(evidence) || isNoReply || hasTicketNumber else { return false }
        return AcknowledgementWords.hold(in: evidence.ownText)
    }

    private var isNoReply: Bool {
        evidence.from.contains { address in
            let local = address.localPart.lowercased().filter { $0.isLetter || $0.isNumber }
            return ["noreply", "donotreply", "nepasrepondre", "nichtantworten", "noresponder"].contains {
                local.contains($0)
            }
        }
    }

    /// Whether the subject has a number in brackets that the answered subject did not have: `[#12345]`,
    /// `[Ticket#2026031410000011]`, `(ABC-123)`.
    private var hasTicketNumber: Bool {
        guard let open = evidence.subject.firstIndex(where: { "[(".contains($0) }) else { return false }
        let inside = evidence.subject[open...].dropFirst().prefix(40).prefix { !"])".contains($0) }
        return inside.contains { "#-".contains($0) } && inside.suffix(3).allSatisfy(\.isNumber)
            && inside.count >= 4
    }

    /// The subject is one that autoresponders write, the text is short, and no mail program of a person wrote it.
    private var isSaidBySubject: Bool {
        guard evidence.ownText.count <= Self.shortText, !isFromMailProgram else { return false }
        if AnswerSubjects.isAutomaticReply(evidence.subject) { return true }
        return AnswerSubjects.isAbsence(evidence.subject) && ReturnMeanings.speaksOfAbsence(evidence.ownText)
    }

    private var isFromMailProgram: Bool {
        ["user-agent", "x-mailer"].contains { name in
            evidence.all(name).contains { body in Self.mailPrograms.contains { body.contains($0) } }
        }
    }

    private static let mailPrograms = [
        "thunderbird", "mozilla", "iphone mail", "ipad mail", "apple mail", "microsoft outlook",
        "outlook express",
        "windows live mail", "k-9", "mutt", "evolution", "kmail", "gnus", "alpine", "claws", "sylpheed",
        "emclient", "em client",
        "roundcube", "horde", "squirrelmail", "rainloop", "snappymail", "the bat", "betterbird", "fairemail",
    ]
}
