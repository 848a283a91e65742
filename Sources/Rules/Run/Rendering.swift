import Models

/// Fills templates and dates with the fields of one mail and the named groups of one match.
struct Rendering {
    let view: FactsView
    let captures: [String: String]

    func text(_ template: Template) -> String {
        template.pieces.map { piece in
            switch piece {
            case .literal(let text): text
            case .builtIn(let name): Template.clean(value(name))
            case .capture(let name): Template.clean(captures[name] ?? "")
            }
        }.joined()
    }

    private func value(_ name: Template.Name) -> String {
        let facts = view.facts
        switch name {
        case .subject: return facts.subject
        case .fromName: return facts.from.first?.name ?? ""
        case .fromAddress: return facts.from.first?.addrSpec ?? ""
        case .toName: return facts.to.first?.name ?? ""
        case .toAddress: return facts.to.first?.addrSpec ?? ""
        case .date: return view.local.date.description
        case .dateInBody: return dateInText.map { spelling($0) } ?? ""
        }
    }

    /// For text from a mail, "now" is the mail's own date.
    private var mailClock: DateClock { view.clock(now: view.facts.date) }

    private var dateInText: TodoDate? {
        MailDate.find(subject: view.facts.subject, text: view.facts.text, clock: mailClock)
    }

    func spelling(_ date: TodoDate) -> String { view.spelling(date) }

    /// The date of an action: a phrase in the rule is relative to now, a phrase from the mail is relative to
    /// the mail's date.
    func date(_ template: Template) -> TodoDate? {
        if let phrase = template.constant {
            return DatePhrase.resolve(phrase, clock: view.clock(now: view.context.now))
        }
        if template.pieces.count == 1, case .builtIn(.dateInBody) = template.pieces[0] { return dateInText }
        var clock = mailClock
        clock.anyLanguage = true
        return DatePhrase.resolve(text(template), clock: clock)
    }
}
