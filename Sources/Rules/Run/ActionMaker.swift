import Models

/// Makes the actions of a matching rule for one message: templates filled, dates and mailboxes resolved.
///
/// All or nothing as to the inbox: when one action of a rule cannot be made, the message is kept, so that no mail
/// leaves the inbox without the task it was meant to become, and no later rule disposes of it instead.
struct ActionMaker {
    let rule: CompiledRule
    let rendering: Rendering
    private(set) var actions: [Action] = []
    private(set) var warnings: [String] = []
    private(set) var hasFailed = false

    init(rule: CompiledRule, rendering: Rendering) {
        self.rule = rule
        self.rendering = rendering
    }

    private var context: RuleContext { rendering.view.context }

    mutating func make() {
        for template in rule.actions {
            if let action = action(template) { actions.append(action) }
        }
        guard hasFailed else { return }
        actions.removeAll(where: \.isDisposition)
        actions.append(.keep)
    }

    private mutating func warn(_ text: String) {
        warnings.append("rule \(rule.info.id) \(text)   \(rule.info.file):\(rule.info.line)")
    }

    private mutating func fail(_ text: String) -> Action? {
        hasFailed = true
        warn(text + "; the message is kept")
        return nil
    }

    private mutating func action(_ template: ActionTemplate) -> Action? {
        switch template {
        case .keep: return .keep
        case .archive: return .archive
        case .trash: return .trash
        case .junk: return .junk
        case .flag: return .flag
        case .unflag: return .unflag
        case .mark(let read): return .mark(read: read)
        case .move(let name): return move(to: name)
        case .deferUntil(let template): return deferral(template)
        case .label(let template): return keyword(template).map { .label($0) }
        case .unlabel(let template): return keyword(template).map { .unlabel($0) }
        case .task(let template): return .task(task(template))
        case .delegate(let template): return delegation(template)
        case .vacation(let template): return vacation(template)
        case .waiting(let template): return waiting(template)
        case .letter(let template): return letter(template)
        case .notify(let template): return .notify(rendering.text(template).trimmingBlanks())
        case .unsubscribe: return unsubscription()
        case .saveFiles(let template): return saving(template)
        }
    }

    private mutating func move(to name: String) -> Action? {
        guard let mailbox = rendering.view.surface.mailbox(named: name) else {
            return fail("moves to '\(name)', and there is no such mailbox")
        }
        return .move(to: mailbox)
    }

    private mutating func deferral(_ template: Template) -> Action? {
        guard let date = rendering.date(template),
            let time = DatePhrase.instant(of: date, timeZone: rendering.view.zone.identifier)
        else { return fail("found no date to defer to in '\(rendering.text(template))'") }
        guard time > context.now else {
            return fail("defers to \(rendering.spelling(.instant(time))), which is past")
        }
        return .deferUntil(time)
    }

    private mutating func keyword(_ template: Template) -> Keyword? {
        let text = rendering.text(template)
        guard Keyword.isValid(text) else {
            _ = fail("made the label '\(text)', which no server takes")
            return nil
        }
        return Keyword(text)
    }

    // MARK: Tasks

    private mutating func task(_ template: TaskTemplate) -> TodoDraft {
        let title = rendering.text(template.title).trimmingBlanks()
        var draft = TodoDraft(summary: title.isEmpty ? "(no subject)" : title, list: template.list)
        draft.notes = template.notes.map { rendering.text($0) } ?? ""
        if template.list == .waiting { draft.waitingOn = person(.other).flatMap { isMe($0) ? nil : $0 } }
        draft.contexts = template.contexts
            .map { rendering.text($0).replacing(",", with: " ").trimmingBlanks() }.filter { !$0.isEmpty }
        draft.start = date(template.start, field: "start", fallback: nil)
        draft.due = date(template.due ?? template.dueElse, field: "due date", fallback: template.dueElse)
        draft.priority = template.priority
        if draft.due != nil || draft.start != nil { draft.alarmSecondsBefore = template.remindSecondsBefore }
        return draft
    }

    private mutating func date(_ template: Template?, field: String, fallback: Template?) -> TodoDate? {
        guard let template else { return nil }
        if let date = rendering.date(template) { return date }
        guard let fallback, let date = rendering.date(fallback) else {
            warn("found no \(field) in the message; the task has none")
            return nil
        }
        warn("found no \(field) in the message; uses \(fallback.source) (\(rendering.spelling(date)))")
        return date
    }

    // MARK: Waiting, leaving

    private mutating func waiting(_ template: WaitingTemplate) -> Action? {
        guard let on = person(template.on) else {
            return fail("waits for somebody whom the message does not name")
        }
        guard !isMe(on) else { return fail("waits for \(on.addrSpec), which is you") }
        var result = Waiting(on: on)
        result.title = template.title.map { rendering.text($0) }
        result.followUp = template.followUp.flatMap { rendering.date($0) }
        if template.followUp != nil, result.followUp == nil { warn("found no date to follow up") }
        return .waiting(result)
    }

    /// nil: the message does not name anybody.
    private func person(_ person: WaitingTemplate.Person) -> EmailAddress? {
        let facts = rendering.view.facts
        let recipient = (facts.to + facts.cc + facts.bcc).first { !isMe($0) }
        return switch person {
        case .address(let address): address
        case .writer: facts.from.first
        case .recipient: recipient
        case .other: facts.from.first.map(isMe) == true ? recipient : facts.from.first
        }
    }

    private func isMe(_ address: EmailAddress) -> Bool {
        rendering.view.me.contains(FoldedText(address.comparable))
    }

    private mutating func unsubscription() -> Action? {
        guard rendering.view.header("list-unsubscribe").isEmpty else { return .unsubscribe }
        return fail("proposes to leave a list, and the message names no way to (List-Unsubscribe)")
    }

    // MARK: Files

    private mutating func saving(_ template: SavingTemplate) -> Action? {
        let files = rendering.view.facts.attachments
        let wanted = files.filter(template.wants)
        guard !wanted.isEmpty else {
            return fail(
                files.isEmpty
                    ? "saves files, and the message has none"
                    : "saves files, and the message has no such file")
        }
        guard wanted.count <= SavedFiles.mostFiles else {
            return fail(
                "saves \(wanted.count) files, and at most \(SavedFiles.mostFiles) of a message are saved")
        }
        if let large = wanted.first(where: { $0.size > SavedFiles.largestFile }) {
            return fail("saves '\(large.name)', which is larger than \(SavedFiles.largestFile >> 20) MB")
        }
        return .saveFiles(
            SavedFiles(
                folder: template.folder,
                files: wanted.map { file in
                    .init(section: file.section, name: SafeFileName.make(file.name), size: file.size)
                }))
    }

    // MARK: Answers and forwards

    private static let mostRecipients = 5

    private mutating func letter(_ template: LetterTemplate) -> Action? {
        let facts = rendering.view.facts
        let answered = facts.replyTo.isEmpty ? facts.from : facts.replyTo
        let to = template.to.map { [$0] } ?? Array(answered.prefix(Self.mostRecipients))
        guard !to.isEmpty else { return fail("answers, and the message names nobody to answer to") }
        if let own = to.first(where: { rendering.view.me.contains(FoldedText($0.comparable)) }) {
            return fail("writes to \(own.addrSpec), which is you")
        }
        var result = Letter(template.kind, to: to, text: template.text.map { rendering.text($0) } ?? "")
        result.subject = template.subject.map { rendering.text($0) }
        result.sending = template.sending
        if template.sending == .now, let reason = reasonForDraft() {
            result.sending = .draft
            warn("makes a draft instead of sending: \(reason)")
        }
        return .letter(result)
    }

    // MARK: Delegation

    private mutating func delegation(_ template: DelegateTemplate) -> Action? {
        let view = rendering.view
        guard !view.me.contains(FoldedText(template.to.comparable)) else {
            return fail("delegates to \(template.to.addrSpec), which is you")
        }
        var result = Delegation(to: template.to)
        result.note = template.note.map { rendering.text($0) } ?? ""
        result.followUp = template.followUp.flatMap { rendering.date($0) }
        if template.followUp != nil, result.followUp == nil { warn("found no date to follow up") }
        result.sending = template.sending
        if template.sending == .now, let reason = reasonForDraft() {
            result.sending = .draft
            warn("makes a draft instead of sending: \(reason)")
        }
        return .delegate(result)
    }

    // MARK: Vacation

    /// nil where no answer is due: to a program, to a list, to one that was not meant for us, to a sender who was
    /// answered lately. That is no failure, and is not worth a warning. RFC 5230 §4.2–4.6.
    private mutating func vacation(_ template: VacationTemplate) -> Action? {
        let facts = rendering.view.facts
        let own = Set(context.me.map(\.comparable))
        guard LoopGuard.reason(against: facts, own: own) == nil,
            (facts.to + facts.cc).contains(where: { own.contains($0.comparable) }),
            let to = LoopGuard.envelopeSender(of: facts) ?? facts.from.first
        else { return nil }
        let earlier = context.autoReplies[AutoReplyKey(rule: rule.info.id, sender: to.comparable)]
        // An answer of a day to come was noted by a clock that was wrong.
        if let earlier, (-86_400..<Int64(template.days) * 86_400).contains(context.now - earlier) {
            return nil
        }
        var reply = AutoReply(
            to: to, subject: template.subject.map { rendering.text($0) } ?? "Auto: " + facts.subject,
            text: rendering.text(template.text), days: template.days, sending: template.sending)
        if template.sending == .now, !context.allowSend {
            reply.sending = .draft
            warn("makes a draft instead of sending: the workspace does not say allow-send: true")
        }
        return .vacation(reply)
    }

    /// Why mail must not go out by itself. RFC 3834 §2, and loops in general.
    private func reasonForDraft() -> String? {
        let view = rendering.view
        if !context.allowSend { return "the workspace does not say allow-send: true" }
        if view.isBounce { return "the message is a delivery report" }
        let own = Set(context.me.map(\.comparable))
        return LoopGuard.reason(against: view.facts, own: own)?.description
    }
}

extension RuleContext {
    /// The mailbox that a user means: its name, then its name whatever the case or the server's way to write it, then
    /// its role.
    func mailbox(named name: String) -> Mailbox? {
        if let exact = mailboxes.first(where: { $0.displayName == name || $0.name.description == name }) {
            return exact
        }
        let folded = name.folded
        return mailboxes.first { $0.displayName.folded == folded }
            ?? mailboxes.first { $0.plainName.folded == folded }
            ?? mailboxes.first { $0.role?.rawValue == folded }
    }
}
