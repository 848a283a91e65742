import MailStore
public import Models

/// One line of a run for users: a step, or the steps that made the same change to the messages of a bundle.
public enum RunEntry: Sendable {
    case step(Step)
    /// More than one message, with one step of each.
    case bundle(BundleNames, [Step])
}

extension Bundling {
    private struct Group: Hashable {
        var bundle: Bundle
        var cause: Step.Cause
        var change: Change
        var undoneBy: RunID?
    }

    /// The change that a step makes, without the place of the message.
    private enum Change: Hashable {
        case move(to: MailboxName)
        case marks(Set<Flag>, Set<Flag>, Set<Keyword>, Set<Keyword>)
        case wait(DeferredUntil?)
    }

    /// In the order of the journal; a bundle is at the position of its first step. A step that did not
    /// succeed at once has its own line.
    ///
    /// `undone`: the runs that undid steps, by row.
    public func entries(of steps: [Step], undone: [Int64: RunID]) throws -> [RunEntry] {
        let facts = Dictionary(
            try loader.facts(.ids(Array(Set(steps.compactMap(\.message)))), needs: []).map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        // The label may have been removed since, so labels that the run added count, too.
        var keywords = facts.mapValues(\.keywords)
        for step in steps {
            guard case .store(_, _, _, let added, _) = step.kind, let message = step.message else { continue }
            keywords[message, default: []].formUnion(added)
        }
        let labels = labels
        let groups = steps.map { step -> Group? in
            guard let message = step.message, facts[message] != nil, let change = Self.change(step),
                let bundle = MailBundle.bundle(of: keywords[message] ?? [], labels: labels)
            else { return nil }
            return Group(
                bundle: bundle, cause: step.cause, change: change, undoneBy: step.id.flatMap { undone[$0] })
        }
        let members = Dictionary(
            grouping: zip(groups, steps).compactMap { group, step in group.map { ($0, step) } }, by: \.0
        ).mapValues { $0.map(\.1) }
        var shown: Set<Group> = []
        return zip(groups, steps).compactMap { group, step in
            guard let group, let all = members[group], all.count > 1 else { return .step(step) }
            guard shown.insert(group).inserted else { return nil }
            let writers = all.map { $0.message.flatMap { facts[$0]?.from.first } }
            return .bundle(BundleNames(group.bundle, writers: writers), all)
        }
    }

    /// nil: the step needs its own line.
    private static func change(_ step: Step) -> Change? {
        guard step.state == .confirmed, step.attempts <= 1, step.error == nil else { return nil }
        switch step.kind {
        case .move(_, let mailbox): return .move(to: mailbox.name)
        case .store(_, let add, let remove, let addWords, let removeWords):
            return .marks(add, remove, addWords, removeWords)
        case .wait(let until, before: _): return .wait(until)
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .append, .submit, .remove, .saveFile,
            .removeFile,
            .list, .createMailbox, .editThreads:
            return nil
        }
    }
}
