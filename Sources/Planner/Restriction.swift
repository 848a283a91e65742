public import Models

extension Plan {
    /// Removes actions that the settings of the account do not allow, and reports this at each message and in
    /// the warnings.
    ///
    /// The other actions on the message stay: its task is made even if it is not moved. But a rule whose mail may not be
    /// written does not move the message either. `place` is where the setting is written. `missing`: roles without a mailbox, so that one would have to be created.
    public mutating func restrict(
        to permissions: Permissions, _ place: String?, missing roles: Set<MailboxRole> = []
    ) {
        guard permissions != .full else { return }
        var counts: [Permission: Int] = [:]
        for index in items.indices {
            let decisions = items[index].decisions
            let refused = decisions.withMoves(decisions.map { missing($0.action, permissions, roles) })
            guard refused.contains(where: { $0 != nil }) else { continue }
            for permission in refused.compactMap(\.self) { counts[permission, default: 0] += 1 }
            items[index].decisions = zip(decisions, refused).filter { $1 == nil }.map(\.0)
            if items[index].disposition == .keep { items[index].threadKeys = [] }
            for (decision, permission) in zip(decisions, refused) where permission == .draft {
                items[index].warnings.removeDraftWarning(of: decision.rule)
            }
            let words = zip(decisions, refused).filter { $1 != nil }.map { $0.0.action.word }
            items[index].warnings.append(
                "not allowed: \(words.joined(separator: ", ")) (allow: \(permissions.name))")
        }
        for permission in Permission.allCases {
            guard let count = counts[permission] else { continue }
            warnings.append(
                permissions.refusal(of: permission) + (place.map { " (\($0))" } ?? "")
                    + ": \(count == 1 ? "one action is" : "\(count) actions are") left out")
        }
        let needed = Set(items.compactMap { item in destination(of: item)?.name })
        let left = (newMailboxes ?? []).filter { needed.contains($0.name) }
        newMailboxes = left.isEmpty ? nil : left
    }

    private func missing(
        _ action: Action, _ permissions: Permissions, _ roles: Set<MailboxRole>
    ) -> Permission? {
        let needed = Permission.allCases.filter(action.permissions.contains)
        if let missing = needed.first(where: { !permissions.allows($0) }) { return missing }
        guard !permissions.allows(.create), case .place(let place) = action else { return nil }
        if case .move(let mailbox) = place { return makes(mailbox) ? .create : nil }
        return place.role.map(roles.contains) ?? false ? .create : nil
    }

    private func destination(of item: Item) -> Mailbox? {
        if case .place(.move(let mailbox)) = item.disposition { mailbox } else { nil }
    }
}

extension [Plan.Decision] {
    /// The missing permission of each decision. The move of a rule whose mail may not be written is left out for the same
    /// reason.
    fileprivate func withMoves(_ refused: [Permission?]) -> [Permission?] {
        let unwritten = Dictionary(
            zip(self, refused).compactMap { decision, permission in
                permission == .draft || permission == .send ? permission.map { (decision.rule, $0) } : nil
            }, uniquingKeysWith: { first, _ in first })
        return zip(self, refused).map { decision, permission in
            permission ?? (decision.action.isDisposition ? unwritten[decision.rule] : nil)
        }
    }
}
