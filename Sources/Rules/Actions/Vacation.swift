import MIMEParser
import Models
import YAMLSource

/// `vacation: 'Back on Monday.'`: replies that the user is away, to each sender once in a while. RFC 5230.
struct VacationAction: ActionTemplate {
    static let entry = ActionEntry(
        .vacation, value: "a text, or a mapping", form: .text,
        fields: ["text", "subject", "days", "max-age", "send"],
        required: ["text"], help: "answer that you are away, once per sender and week",
        example: "vacation: { text: 'Back on Monday.', days: 7 }")

    var text: Template
    var subject: Template?
    var days = 7
    /// Older mail gets no reply. In seconds.
    var maxAge = 14 * Self.day
    var sending = Delegation.Sending.draft

    /// A new rule also answers mail of the day before: the user may have written the rule after the last run.
    private static let lead = day

    private static let day: Int64 = 86_400
    private static let allowedDays = 1...365

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        guard node.mapping != nil else {
            return source.template(node, "'vacation'").map { [Self(text: $0)] } ?? []
        }
        guard
            let place = source.required("text", in: node, of: entry, "vacation: { text: 'Back on Monday.' }"),
            let text = source.template(place, "'text'")
        else { return [] }
        var result = Self(text: text)
        result.subject = node["subject"].flatMap { source.template($0, "'subject'") }
        if let days = node["days"] {
            guard let number = days.scalar.flatMap({ Int($0) }), allowedDays.contains(number) else {
                source.report.error("R020", days, "'days' must be a number from 1 to 365")
                return []
            }
            result.days = number
        }
        if let age = node["max-age"] {
            guard let seconds = age.scalar.flatMap({ DatePhrase.duration($0) }), seconds > 0,
                seconds <= Int64(allowedDays.upperBound) * Self.day
            else {
                source.report.error(
                    "R020", age, "'max-age' must be a time of at most 365 days", "max-age: 14 days")
                return []
            }
            result.maxAge = seconds
        }
        guard let sending = source.sending(node["send"]) else { return [] }
        result.sending = sending
        return [result]
    }

    var usesText: Bool { text.usesText || subject?.usesText ?? false }
    var needs: FactNeeds { [.headers, .thread] }

    /// Also nil, without a warning, if no reply is due: to a program, to a list, to a mail that was not
    /// addressed to the user, to a sender who got a reply recently, to old mail, to mail that arrived more than a
    /// day before the rule came into force, or in a conversation in which the user wrote last. RFC 5230 §4.2–4.6.
    func make(_ maker: inout ActionMaker) -> Action? {
        let rendering = maker.rendering
        let (facts, context) = (rendering.view.facts, rendering.view.context)
        let own = OwnAddressSet(context.me)
        guard LoopGuard.reason(against: facts, own: own) == nil, !rendering.view.isBounce,
            (facts.to + facts.cc).contains(where: own.contains),
            let to = (LoopGuard.envelopeSender(of: facts) ?? facts.from.first)?.withMailDomain,
            ActionMaker.canReach(to),
            !own.contains(to)
        else { return nil }
        guard !isOld(facts, context) else { return nil }
        if let starts = context.answerStarts,
            facts.received + Self.lead < starts[maker.rule.id] ?? context.time
        {
            return nil
        }
        guard rendering.view.lastMessageIsOwn != true else { return nil }
        var reply = AutoReply(
            to: to, subject: subject.map { rendering.text($0) } ?? "Auto: " + facts.subject,
            text: rendering.text(text), days: days, sending: sending)
        if let earlier = context.autoReplies[to.comparable],
            AutoReply.isRecent(earlier, days: days, now: context.now)
        {
            return maker.leaveOut(.vacation(reply))
        }
        reply.sending = maker.sending(sending)
        return .vacation(reply)
    }

    /// A mail server replies at the delivery, so the sender of an old mail does not expect a reply. Both times count: mail that
    /// was copied from another server has a new arrival, and the clock of a sender may be wrong.
    private func isOld(_ facts: MessageFacts, _ context: RuleContext) -> Bool {
        // Old mail is judged in its state on arrival.
        guard context.senderArrivals == nil else { return false }
        return min(facts.received, facts.date) + maxAge < context.time
    }

    func export(to script: inout SieveCommands) -> Bool {
        guard sending == .now else { return script.refuse("vacation", "the server makes no drafts") }
        guard let text = text.constant, subject.map({ $0.constant != nil }) ?? true else {
            return script.refuse("vacation", "the server has no templates")
        }
        let subject = subject?.constant.map { " :subject \(SieveCondition.quoted($0))" } ?? ""
        let addresses = script.me.isEmpty ? "" : " :addresses \(SieveCondition.list(script.me))"
        return script.add(
            "vacation :days \(days)\(subject)\(addresses) \(SieveCondition.quoted(text));",
            requires: "vacation")
    }
}
