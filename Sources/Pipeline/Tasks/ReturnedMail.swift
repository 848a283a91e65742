import MailStore
public import Models

/// A message that came back to the inbox after a deferral. Its text is not trusted.
public struct ReturnedMail: Hashable, Sendable, BundledMail {
    public var id: EmailID
    public var shortID: String
    public var from: String
    public var subject: String
    public var bundle: Bundle?
    public var writer: EmailAddress?
}

extension ReturnedMail {
    /// The deferred messages that these steps returned, in the order of the steps, unless a later one moved them again.
    /// `labels`: labels that make a bundle.
    static func all(
        broughtBackBy steps: [Step], _ store: Store, labels: [Keyword: Bundle]
    ) throws -> [ReturnedMail] {
        let returns = steps.filter(\.isReturn)
        var last: [EmailID: Step] = [:]
        for step in steps where !returns.isEmpty {
            if case .move = step.kind, let message = step.message { last[message] = step }
        }
        var seen: Set<EmailID> = []
        let ids = returns.compactMap(\.message).filter { id in
            last[id]?.isReturn == true && seen.insert(id).inserted
        }
        guard !ids.isEmpty else { return [] }
        let names = try store.messages.shortPrefix(of: ids)
        return try ids.compactMap { id in
            guard let detail = try store.messages.detail(of: id) else { return nil }
            let facts = try store.messages.facts(.ids([id])).first
            return ReturnedMail(
                id: id, shortID: names[id] ?? id.rawValue, from: facts?.from.first?.name ?? "(no sender)",
                subject: detail.subject.isEmpty ? "(no subject)" : detail.subject,
                bundle: facts.flatMap { MailBundle.bundle(of: $0, labels: labels) },
                writer: facts?.from.first)
        }
    }
}

extension Step {
    /// Whether the step returns a deferred message that is due.
    fileprivate var isReturn: Bool {
        guard case .move = kind else { return false }
        return cause == .deferral
    }
}
