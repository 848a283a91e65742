import Models

/// `is:duplicate`: a second copy of a message.
extension ConditionEntry {
    static let isDuplicate = ConditionEntry(
        "is:duplicate", "state", .state(.duplicate),
        "an earlier message with its Message-ID and sender is still here, but not in Sent, Drafts or Junk",
        "is:duplicate"
    )
}

extension State {
    static let duplicate = State(
        name: "is:duplicate", needs: .copies,
        holds: { sight in Truth(sight.context.earlierCopies.map { $0[sight.facts.id] != nil }) },
        seen: { sight in
            guard let copies = sight.context.earlierCopies else { return "opus did not look for copies" }
            if let first = copies[sight.facts.id] { return "a copy came \(sight.reading(first))" }
            return sight.facts.messageID == nil ? "no Message-ID" : "no earlier copy"
        })
}
