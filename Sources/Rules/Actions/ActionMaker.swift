import MIMEParser
import Models

/// Makes the actions of a matching rule for one message: templates filled in, dates and mailboxes resolved.
///
/// All or nothing for the inbox: if one action of a rule cannot be made, the message is kept. So no mail
/// leaves the inbox without its task, and no later rule moves it instead.
struct ActionMaker {
    let rule: RuleInfo
    let rendering: Rendering
    private(set) var actions: [Action] = []
    private(set) var warnings: [String] = []
    private(set) var failures: [RuleFailure] = []
    /// Actions that are not needed, now or later: the rule is remembered as if it had done them.
    private(set) var leftOut: [Action] = []
    var hasFailed: Bool { !failures.isEmpty }
    /// An action cannot be made, or makes no sense for this message.
    private(set) var keepsMessage = false

    init(rule: RuleInfo, rendering: Rendering) {
        self.rule = rule
        self.rendering = rendering
    }

    mutating func make(_ templates: [any ActionTemplate]) {
        for template in templates {
            guard let action = template.make(&self) else { continue }
            let view = rendering.view
            let reason = view.context.firstDay?.reason(
                against: action, view.facts, timeZone: view.context.timeZone)
            switch reason {
            case nil:
                actions.append(action)
                continue
            case .oldMail: break
            case .overdue: _ = keep("makes no task that was due before rules were first applied")
            }
            if view.context.firstDay?.isPreview == true { view.context.validity?.end() }
        }
        if hasFailed { keepsMessage = true }
        guard keepsMessage else { return }
        actions.removeAll(where: \.isDisposition)
        actions.append(.keep)
    }

    mutating func warn(_ text: String) {
        warnings.append(words(text))
    }

    private func words(_ text: String) -> String { "rule \(rule.id) \(text)   \(rule.file):\(rule.line)" }

    /// The action cannot be made, and the message is kept. Always nil.
    mutating func fail(_ text: String) -> Action? {
        warn(text + "; the message is kept")
        failures.append(.init(rule: rule.id, reason: words(text + "; the message is kept")))
        return nil
    }

    /// The action is not needed, and never will be for this message. Always nil.
    mutating func leaveOut(_ action: Action) -> Action? {
        leftOut.append(action)
        return nil
    }

    /// The action makes no sense for this message, which is kept. Always nil.
    mutating func keep(_ text: String) -> Action? {
        warn(text + "; the message is kept")
        keepsMessage = true
        return nil
    }

    // MARK: Shared by several actions

    func mailbox(_ name: String) -> Mailbox? { rendering.view.surface.mailbox(named: name) }

    func isMe(_ address: EmailAddress) -> Bool {
        rendering.view.isMe(address)
    }

    /// Whether a mail can be sent to the address. A sender can write anything there, such as `Name <>`.
    static func canReach(_ address: EmailAddress) -> Bool {
        (try? MessageBuilder.envelopeAddress(address)) != nil
    }

    /// An address of a rule has no name, unless the user gave the person one.
    func named(_ address: EmailAddress) -> EmailAddress {
        address.named(as: rendering.view.context.people)
    }

    /// nil: the message does not contain such a person.
    func person(_ person: Person) -> EmailAddress? {
        let facts = rendering.view.facts
        let recipient = (facts.to + facts.cc + facts.bcc).first { !isMe($0) }
        return switch person {
        case .address(let address): named(address)
        case .writer: facts.from.first
        case .recipient: recipient
        case .other: facts.from.first.map(isMe) == true ? recipient : facts.from.first
        }
    }

    /// The same; if the user wrote the mail, everyone in To, or otherwise in Cc.
    func people(_ person: Person) -> [EmailAddress] {
        let facts = rendering.view.facts
        let isOwn = facts.from.first.map(isMe) == true
        let recipients = [facts.to, facts.cc, facts.bcc].map { $0.filter { !isMe($0) } }
        switch person {
        case .address, .writer: return [self.person(person)].compactMap(\.self)
        case .other where !isOwn: return [self.person(person)].compactMap(\.self)
        case .other, .recipient:
            var seen: Set<String> = []
            let found = recipients.first { !$0.isEmpty } ?? []
            return Array(found.filter { seen.insert($0.comparable).inserted }.prefix(Self.mostPeople))
        }
    }

    private static let mostPeople = 20

    mutating func followUp(_ template: Template?) -> TodoDate? {
        guard let template else { return nil }
        let date = rendering.date(template)
        if date == nil { warn("found no follow-up date") }
        return date
    }

    /// Returns a draft if mail must not be sent automatically. RFC 3834 §2, and loops in general.
    mutating func sending(_ wanted: Delegation.Sending) -> Delegation.Sending {
        guard wanted == .now, let reason = reasonForDraft() else { return wanted }
        warn("makes a draft instead of sending: \(reason)")
        return .draft
    }

    private func reasonForDraft() -> String? {
        let view = rendering.view
        if let refusal = view.context.sendRefusal { return refusal }
        if !view.context.allowSend { return "opus.yaml does not set allow-send: true" }
        if view.isBounce { return "the message is a delivery report" }
        return LoopGuard.reason(against: view.facts, own: OwnAddressSet(view.context.me))?.description
    }
}

/// The person that a task waits for.
enum Person: Sendable {
    case address(EmailAddress)
    /// The sender, or the first recipient of a mail by the user.
    case other
    case writer
    case recipient
}
