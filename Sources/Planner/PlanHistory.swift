public import Models

/// A plan for old mail: it sends nothing, and does not repeat what is already done.
extension Plan {
    /// Old mail needs no answer.
    public mutating func leaveOutAnswers() {
        var count = 0
        for index in items.indices {
            let before = items[index].decisions.count
            items[index].decisions.removeAll {
                $0.action.name == .vacation
            }
            guard items[index].decisions.count < before else { continue }
            count += before - items[index].decisions.count
            if items[index].isUntouched { items[index].warnings = [] }
        }
        if count > 0 {
            warnings.append(counted(count, "answer to old mail is", "answers to old mail are") + " left out")
        }
    }

    /// Removes moves to the current mailbox of a message, and marks that the message already has.
    public mutating func removeWhatIsDone(_ context: StepContext) {
        for index in items.indices {
            let item = items[index]
            items[index].decisions.removeAll { decision in
                if let destination = context.destination(of: decision.action) {
                    return item.key.mailbox == destination.name
                        && item.threadKeys.allSatisfy { $0.key.mailbox == destination.name }
                }
                return item.isDone(decision.action)
            }
        }
    }
}

extension Plan.Item {
    fileprivate func isDone(_ action: Action) -> Bool {
        var (flags, keywords) = (flags, keywords)
        return action.mark(&flags, &keywords) && (flags, keywords) == (self.flags, self.keywords)
    }
}
