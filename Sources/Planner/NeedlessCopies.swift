public import Models

/// Leaves out copies into the mailbox to which the message itself moves, because it would be there twice.
public struct NeedlessCopies {
    private let places: StepContext

    public init(_ places: StepContext) { self.places = places }

    public func leaveOut(of plan: inout Plan) {
        guard plan.items.contains(where: { $0.decisions.contains { $0.action.copyDestination != nil } })
        else {
            return
        }
        let destinations = destinations(in: plan)
        for index in plan.items.indices {
            guard let destination = destinations[plan.items[index].message] else { continue }
            let needless = plan.items[index].decisions.filter {
                $0.action.copyDestination?.name == destination.name
            }
            plan.items[index].decisions.removeAll(where: needless.contains)
            plan.items[index].warnings += needless.map {
                "\($0.rule): it moves to \(destination.displayName), so opus puts no copy there"
            }
        }
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
    fileprivate var copyDestination: Mailbox? {
        if case .make(let make) = self { make.copyDestination } else { nil }
    }
}
