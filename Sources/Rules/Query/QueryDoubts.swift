public import Models
import YAMLSource

extension Query {
    /// Why a valid query finds nothing, each reason as a sentence: conditions that exclude each other, and
    /// missing mailboxes (`mailboxes`: those of the searched accounts).
    public func doubts(mailboxes: [Mailbox]) -> [String] {
        var doubts: [String] = []
        if let clash = Lints.clash(Set(Lints.conjuncts(condition))) {
            doubts.append("no message can match: \(clash.0) and \(clash.1) exclude each other")
        }
        for test in condition.tests {
            guard case .mailbox(.name) = test.kind, case .value(_, let name) = test.spelling.value,
                MailboxRole(rawValue: name.folded) == nil,
                !mailboxes.contains(where: {
                    [$0.displayName, $0.name.description, $0.plainName].map(\.folded).contains(name.folded)
                })
            else { continue }
            let near = nearest(to: name, among: mailboxes.map(\.displayName))
            doubts.append(
                "no mailbox is called \"\(name)\"" + (near.map { "; did you mean in:\"\($0)\"?" } ?? ""))
        }
        return doubts
    }
}
