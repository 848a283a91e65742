import Models

/// The marks with which the steps of a run left messages, by the places that these had when the run was planned.
///
/// A server that reports no new places leaves only the marks to tell two copies of a message apart.
struct LeftMarks {
    private struct Marks {
        var flags: Set<Flag>
        var keywords: Set<Keyword>

        /// How many marks differ.
        func distance(to place: MessagePlace) -> Int {
            flags.symmetricDifference(place.flags).count + keywords.symmetricDifference(place.keywords).count
        }
    }

    private var left: [MessageKey: Marks] = [:]

    /// `steps`: of one run, in journal order.
    init(_ steps: [Step]) {
        for step in steps where step.state == .confirmed || step.state == .rejected {
            guard case .store(let key, let add, let remove, let words, let unwords) = step.kind,
                let flags = step.outcome.flagsBefore, let keywords = step.outcome.keywordsBefore
            else { continue }
            // A server that keeps no labels set the flags anyway.
            let isWhole = step.state == .confirmed
            left[key] = Marks(
                flags: flags.union(add).subtracting(remove),
                keywords: isWhole ? keywords.union(words).subtracting(unwords) : keywords)
        }
    }

    /// Whether the run marked the message at that place.
    func knows(_ key: MessageKey) -> Bool { left[key] != nil }

    /// The place whose marks are nearest to those that the run left; the first of several.
    func closest(to key: MessageKey, among places: [MessagePlace]) -> MessagePlace? {
        guard let wanted = left[key] else { return places.first }
        return places.min { wanted.distance(to: $0) < wanted.distance(to: $1) }
    }
}
