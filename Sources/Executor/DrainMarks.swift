import MailStore
import Models

/// Steps that change marks, in groups that share a mailbox and a wish.
extension Drain {
    /// Messages of one command: what one lost answer leaves to be looked at.
    static let groupSize = 200

    func runMarkSteps(_ steps: [Step], _ ledger: inout Ledger) async throws {
        var groups = Groups<MarkGroup>()
        for step in steps where !ledger.isHeld(step) {
            guard case .store(let key, let add, let remove, let addWords, let removeWords) = step.kind else {
                continue
            }
            let change = MarkChange(
                addFlags: add, removeFlags: remove, addKeywords: addWords, removeKeywords: removeWords)
            groups.add(PlacedStep(step: step, key: key), to: MarkGroup(mailbox: key.mailbox, change: change))
        }
        for (group, members) in groups.chunks(of: Self.groupSize) {
            try await mark(group, members, &ledger)
        }
    }

    private func mark(_ group: MarkGroup, _ members: [PlacedStep], _ ledger: inout Ledger) async throws {
        var issued: [Aimed] = []
        var lost: Set<Keyword> = []
        do throws(SinkError) {
            let looked = try await lookAt(members, in: group.mailbox)
            issued = try await settleMarks(group, looked, &ledger)
            let words = group.change.addKeywords.union(group.change.removeKeywords)
            if !issued.isEmpty, !words.isEmpty { lost = try await sink.unkeepable(words, in: group.mailbox) }
        } catch {
            return try await failed(members.map(\.step).filter { !ledger.isSettled($0) }, error, &ledger)
        }
        guard !issued.isEmpty else { return }
        let change = group.change.without(lost)
        let reason = Self.reason(group, lost)
        if change.isEmpty, let reason {
            for aimed in issued { try ledger.rejectAlone(aimed.step, because: reason) }
            return
        }
        try ledger.issue(issued.map(\.step))
        do throws(SinkError) {
            let echo = try await sink.store(change, on: issued.map(\.target), in: group.mailbox)
            for aimed in issued {
                try await record(aimed, change, echo[aimed.target.uid], lost: reason, &ledger)
            }
        } catch {
            try await failed(issued.map(\.step).filter { !ledger.isSettled($0) }, error, &ledger)
        }
    }

    /// A server may keep no labels at all (Courier without keywords); the rest of the wish does not wait for that.
    private static func reason(_ group: MarkGroup, _ lost: Set<Keyword>) -> String? {
        guard !lost.isEmpty else { return nil }
        let words = lost.sorted().map(\.rawValue).joined(separator: ", ")
        return "the server keeps no label \(words) in \(group.mailbox); everything else was done"
    }

    private func record(
        _ aimed: Aimed, _ change: MarkChange, _ shown: Sighting?, lost: String?, _ ledger: inout Ledger
    ) async throws(SinkError) {
        do {
            if let shown, change.holds(for: shown) {
                if let lost { return try ledger.rejectAlone(aimed.step, because: lost) }
                try ledger.confirm(aimed.step, evidence: "the flags were shown", marks: shown)
            } else if shown == nil {
                try ledger.postpone(aimed.step, because: "the server did not show the flags again")
            } else {
                try ledger.postpone(aimed.step, because: "the server did not take the flags")
            }
        } catch {
            throw .lost("the journal could not be written: \(error)")
        }
    }

    private func settleMarks(
        _ group: MarkGroup, _ looked: [Aimed], _ ledger: inout Ledger
    ) async throws(SinkError) -> [Aimed] {
        var left: [Aimed] = []
        do {
            for aimed in looked {
                switch aimed.view {
                case .there(let sighting) where group.change.holds(for: sighting):
                    try ledger.confirm(aimed.step, evidence: "already so", marks: sighting)
                case .there:
                    left.append(aimed)
                case .gone:
                    try ledger.reject(aimed.step, because: "the message is no longer in \(group.mailbox)")
                case .another:
                    try ledger.reject(aimed.step, because: "another message stands in its place")
                }
            }
        } catch {
            throw .lost("the journal could not be written: \(error)")
        }
        return left
    }
}
