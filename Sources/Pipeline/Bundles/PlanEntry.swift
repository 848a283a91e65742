public import Models

/// One line of a plan for users: a message, or the messages of a bundle with the same actions.
public enum PlanEntry: Sendable {
    case message(Plan.Item)
    /// More than one message.
    case bundle(BundleNames, [Plan.Item])
}

extension Plan {
    private struct Group: Hashable {
        var bundle: Bundle
        var decisions: [Decision]
        var alreadyDone: [Bool]
    }

    /// In the order of the plan; a bundle is at the position of its first message. A message has its own line
    /// if a task or a mail is made from it, if it is protected, if it moves its conversation along, or if the
    /// user named it.
    ///
    /// `labels`: labels that make a bundle in addition to those of the action `bundle`.
    public func entries(of items: [Item], labels: [Keyword: Bundle]) -> [PlanEntry] {
        let groups = items.map { group($0, labels) }
        let members = Dictionary(
            grouping: zip(groups, items).compactMap { group, item in group.map { ($0, item) } }, by: \.0
        ).mapValues { $0.map(\.1) }
        var shown: Set<Group> = []
        return zip(groups, items).compactMap { group, item in
            guard let group, let all = members[group], all.count > 1 else { return .message(item) }
            guard shown.insert(group).inserted else { return nil }
            return .bundle(BundleNames(group.bundle, writers: all.map(\.from)), all)
        }
    }

    /// nil: the message has no bundle, or needs its own line.
    private func group(_ item: Item, _ labels: [Keyword: Bundle]) -> Group? {
        guard origin != .hand, item.protectedBy == nil, item.warnings.isEmpty, item.threadKeys.isEmpty else {
            return nil
        }
        var (flags, keywords) = (item.flags, item.keywords)
        for decision in item.decisions {
            switch decision.action {
            case .make, .tell: return nil
            case .place: continue
            case .mark: _ = decision.action.mark(&flags, &keywords)
            }
        }
        return MailBundle.bundle(of: keywords, labels: labels).map {
            Group(bundle: $0, decisions: item.decisions, alreadyDone: alreadyDone(item))
        }
    }
}
