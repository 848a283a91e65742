import MailStore
import Models

/// Steps that change marks, grouped by mailbox and requested change.
struct MarkSteps: DrainPart {
    let context: DrainContext

    func run(_ ledger: inout Ledger) async throws {
        var rounds = MarkRounds()
        for step in ledger.steps where !ledger.isHeld(step) {
            guard case .store(let key, let add, let remove, let addWords, let removeWords) = step.kind else {
                continue
            }
            let change = MarkChange(
                addFlags: add, removeFlags: remove, addKeywords: addWords, removeKeywords: removeWords)
            rounds.add(
                PlacedStep(step: step, key: key),
                to: MarkGroup(mailbox: key.mailbox, change: change, refusal: Self.refusal(step, change)))
        }
        for groups in rounds.groups {
            for (group, members) in groups.chunks(of: context.groupSize) {
                try await mark(group, members, &ledger)
            }
        }
    }

    /// If the server does not accept a label, the last try is made without it. Otherwise the rule would never get
    /// further: the message would not be moved, and the next run would begin again.
    private static func refusal(_ step: Step, _ change: MarkChange) -> String? {
        guard !change.words.isEmpty, step.attempts + 1 >= Backoff.attempts else { return nil }
        return step.error ?? "the server did not accept the label"
    }

    private func mark(_ group: MarkGroup, _ queued: [PlacedStep], _ ledger: inout Ledger) async throws {
        // An earlier step of the message, which failed, holds back the opposite one.
        let members = queued.filter { !ledger.isHeld($0.step) }
        guard !members.isEmpty else { return }
        var issued: [Aimed] = []
        var lost: Set<Keyword> = []
        var lostFlags: Set<Flag> = []
        let words = group.change.words
        do throws(SinkError) {
            let looked = try await MessageLook(context: context).look(at: members, in: group.mailbox)
            issued = try await settleMarks(group, looked, &ledger)
            if group.refusal != nil {
                lost = words
            } else if !issued.isEmpty, !words.isEmpty {
                lost = try await sink.unkeepable(words, in: group.mailbox)
            }
            let flags = group.change.addFlags.union(group.change.removeFlags)
            if !flags.isEmpty, issued.contains(where: { $0.step.attempts > 0 }) {
                lostFlags = try await sink.unkeepable(flags, in: group.mailbox)
            }
        } catch {
            return try ledger.fail(members.map(\.step).filter { !ledger.isSettled($0) }, error)
        }
        guard !issued.isEmpty else { return }
        let reason = Self.reason(group, lost, lostFlags)
        if let refusal = try await store(
            group.change.without(lost, lostFlags), issued, in: group, lost: reason, &ledger)
        {
            // A limit on the number of labels, for example: the rest is possible.
            _ = try await store(
                group.change.without(words, lostFlags), issued, in: group,
                lost: Self.reason(MarkGroup(group, refusal: refusal), words, lostFlags), &ledger)
        }
    }

    /// Changes the marks of the messages. `lost`: why the change leaves some of the marks out.
    ///
    /// - Returns: What the server said if it never accepts this change, and may accept it without the labels.
    private func store(
        _ change: MarkChange, _ issued: [Aimed], in group: MarkGroup, lost reason: String?,
        _ ledger: inout Ledger
    ) async throws -> String? {
        var issued = issued
        if let reason {
            let isDone = { (aimed: Aimed) in
                guard case .there(let sighting) = aimed.view else { return false }
                return change.holds(for: sighting)
            }
            let done = issued.filter(isDone)
            try ledger.together { for aimed in done { try $0.rejectAlone(aimed.step, because: reason) } }
            issued.removeAll(where: isDone)
            guard !issued.isEmpty else { return nil }
        }
        let new = issued.filter { !ledger.isIssued($0.step) }
        try ledger.issue(new.map(\.step), Self.marksBefore(new))
        do throws(SinkError) {
            let gone = try await PartedRequest(context: context).run(issued, in: group.mailbox, &ledger) {
                (some, ledger) async throws(SinkError) in
                let echo = try await sink.store(change, on: some.map(\.target), in: group.mailbox)
                try ledger.settle {
                    for aimed in some {
                        try record(aimed, change, echo[aimed.target.uid], lost: reason, &$0)
                    }
                }
            }
            try ledger.settle { ledger in
                for aimed in gone {
                    try ledger.reject(
                        aimed.step, because: "the message is no longer in \(group.mailbox)")
                }
            }
        } catch {
            let isOpen = issued.allSatisfy { !ledger.isSettled($0.step) }
            if case .unsupported(let refusal) = error, !change.words.isEmpty, isOpen { return refusal }
            try ledger.fail(issued.map(\.step).filter { !ledger.isSettled($0) }, error)
        }
        return nil
    }

    /// Some servers keep no keywords at all (Courier without keywords), and in a shared mailbox the user may lack the
    /// right to set a flag. The other marks are set anyway.
    private static func reason(_ group: MarkGroup, _ lost: Set<Keyword>, _ flags: Set<Flag>) -> String? {
        let label = lost.sorted().map(\.rawValue).joined(separator: ", ")
        let flag = flags.map(\.rawValue).sorted().joined(separator: ", ")
        let words = [label.isEmpty ? nil : "label \(label)", flag.isEmpty ? nil : "flag \(flag)"].compactMap(
            \.self)
        guard !words.isEmpty else { return nil }
        let names = words.joined(separator: " and the ")
        if let refusal = group.refusal { return "\(refusal); the rest was done without the \(names)" }
        return "the server cannot keep the \(names) in \(group.mailbox); the rest was done"
    }

    /// The marks before the change. If an earlier attempt already noted them, its older values are kept.
    private static func marksBefore(_ issued: [Aimed]) -> [Int64: StepOutcome] {
        var outcomes: [Int64: StepOutcome] = [:]
        for aimed in issued {
            guard let id = aimed.step.id, case .there(let sighting) = aimed.view else { continue }
            outcomes[id] = aimed.step.outcome.withMarksBefore(sighting)
        }
        return outcomes
    }

    private func record(
        _ aimed: Aimed, _ change: MarkChange, _ shown: Sighting?, lost: String?, _ ledger: inout Ledger
    ) throws {
        if let shown, change.holds(for: shown) {
            if let lost { return try ledger.rejectAlone(aimed.step, because: lost) }
            try ledger.confirm(aimed.step, proof: Step.Proof(.marksShown), marks: shown)
        } else if shown == nil {
            try ledger.postpone(aimed.step, because: "the server did not report the flags afterwards")
        } else {
            try ledger.postpone(aimed.step, because: "the server did not accept the flags")
        }
    }

    private func settleMarks(
        _ group: MarkGroup, _ looked: [Aimed], _ ledger: inout Ledger
    ) async throws(SinkError) -> [Aimed] {
        var left: [Aimed] = []
        try ledger.settle { ledger in
            for aimed in looked {
                switch aimed.view {
                case .there(let sighting) where group.change.holds(for: sighting):
                    try ledger.confirm(
                        aimed.step, proof: Step.Proof(.unchanged), marks: sighting,
                        outcome: aimed.step.outcome.withMarksBefore(sighting), wasDone: true)
                case .there:
                    left.append(aimed)
                case .gone:
                    try ledger.reject(aimed.step, because: "the message is no longer in \(group.mailbox)")
                case .another:
                    try ledger.reject(aimed.step, because: "another message is in its place")
                case .unreadable: try ledger.waitForMessage(of: aimed.step)
                }
            }
        }
        return left
    }
}

extension StepOutcome {
    fileprivate func withMarksBefore(_ sighting: Sighting) -> StepOutcome {
        var outcome = self
        outcome.flagsBefore = flagsBefore ?? sighting.flags
        outcome.keywordsBefore = keywordsBefore ?? sighting.keywords
        return outcome
    }
}

extension MarkGroup {
    /// The same group, after the server refused its labels for good.
    fileprivate init(_ group: MarkGroup, refusal: String) {
        self = group
        self.refusal = refusal
    }
}

extension MarkChange {
    /// The labels to add or to remove.
    fileprivate var words: Set<Keyword> { addKeywords.union(removeKeywords) }
}
