public import Models

/// Leaves out copies into the mailbox to which the message itself moves, because it would be there twice.
public struct NeedlessCopies {
    private let places: StepContext

    public init(_ places: StepContext) { self.places = places }

    public func leaveOut(of plan: inout Plan) {
        guard plan.items.contains(where: { !copies(of: $0).isEmpty }) else { return }
        let destinations = destinations(in: plan)
        for index in plan.items.indices {
            guard let destination = destinations[plan.items[index].message] else { continue }
            let needless = copies(of: plan.items[index]).filter { $0.action.copiesTo(destination) }
            guard !needless.isEmpty else { continue }
            plan.items[index].decisions.removeAll { $0.action.copiesTo(destination) }
            plan.items[index].warnings += needless.map {
                "\($0.rule): it moves to \(destination.displayName), so opus puts no copy there"
            }
        }
    }

    private func copies(of item: Plan.Item) -> [Plan.Decision] {
        item.decisions.filter { if case .make(.copy) = $0.action { true } else { false } }
    }

    /// Where each message moves, by itself or with its conversation.
    private func destinations(in plan: Plan) -> [EmailID: Mailbox] {
        var destinations: [EmailID: Mailbox] = [:]
        for item in plan.items {
            guard let decision = item.decisions.last(where: \.action.isDisposition),
                let destination = places.destination(of: decision.action)
            else { continue }
            destinations[item.message] = destination
            for member in item.threadKeys where destinations[member.message] == nil {
                destinations[member.message] = destination
            }
        }
        return destinations
    }
}

extension Action {
    fileprivate func copiesTo(_ mailbox: Mailbox) -> Bool {
        if case .make(.copy(let copy)) = self { copy.name == mailbox.name } else { false }
    }
}
