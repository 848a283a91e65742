/// Decides the place of messages that several Sieve commands file.
///
/// In Sieve, a later filing saves a discarded message, and a second filing makes a second copy. Rules of opus end with
/// the first place. So a rule for `discard` yields to the rules for later filings, and is omitted if one of those could
/// not be translated. No message goes to the trash that the script would keep.
struct SievePlaces {
    struct Filing {
        var line: Int
        var piece: String
        var stops: Bool
    }

    /// Commands that save a message from `discard`.
    static let files: Set<String> = ["fileinto", "keep"]

    /// Whether the command saves a message, or may save it.
    static func saves(_ command: SieveCommand) -> Bool {
        files.contains(command.name) || SieveActions.spares(command.name)
    }

    /// The keys of rules for `discard` after which the script continues.
    var yielding: Set<Int> = []
    /// The keys of rules for `stop` alone.
    var ends: Set<Int> = []
    /// Rules that file a message. Of branches that exclude one another, only as many as one branch has.
    var filings: [Filing] = []
    /// Untranslated filings, by the number of entries before them.
    var lost: [Int] = []

    /// Lets rules yield, and reports copies that are not made.
    func settle(_ draft: inout Draft) {
        for index in draft.entries.indices {
            switch draft.entries[index] {
            case .comment: continue
            case .rule(let rule):
                guard yielding.contains(rule.key) else { continue }
                draft.entries[index] =
                    yielded(rule, at: index, &draft).map { .rule($0) } ?? Self.leftOut(rule)
            case .choose(let rules):
                guard let first = rules.firstIndex(where: { yielding.contains($0.key) }) else { continue }
                let changed = rules.map { yielding.contains($0.key) ? yielded($0, at: index, &draft) : $0 }
                // Without one of them, the others would match its mail.
                let kept =
                    changed.contains(where: { $0 == nil })
                    ? Array(rules[..<first]) : changed.compactMap { $0 }
                for rule in rules[first...].dropFirst() where kept.count == first && first < rules.count {
                    draft.dropped(
                        rule.line, rule.description,
                        "it acts on the mail that a rule before it leaves, and that rule is not translated")
                }
                draft.entries[index] = kept.isEmpty ? Self.leftOut(rules[first]) : .choose(kept)
            }
        }
        if let first = filings.dropLast().first(where: { !$0.stops }) {
            draft.changed(
                first.line, first.piece,
                "if several of these rules match, the message goes to the mailbox of the first; Sieve puts a copy into each"
            )
            draft.remarks.append(
                "If several rules match, the message goes to the mailbox of the first; Sieve makes copies.")
        }
    }

    /// nil: a later filing is not translated.
    private func yielded(_ rule: DraftRule, at index: Int, _ draft: inout Draft) -> DraftRule? {
        guard !lost.contains(where: { $0 > index }) else {
            draft.dropped(rule.line, rule.description, Self.reason)
            return nil
        }
        let later = draft.entries[(index + 1)...].flatMap { entry -> [DraftRule] in
            switch entry {
            case .rule(let rule): [rule]
            case .choose(let rules): rules
            case .comment: []
            }
        }
        var rule = rule
        rule.unlessKeys = later.filter { rule in
            !ends.contains(rule.key) && rule.actions.contains { $0.isDisposition && $0 != .trash }
        }.map(\.key)
        return rule
    }

    static let saving = "discards what a command above it may have kept, and that command is not translated"
    private static let reason = "discards what a later command may file, and that command is not translated"

    private static func leftOut(_ rule: DraftRule) -> Draft.Entry {
        .comment(["Not translated: line \(rule.line), \(rule.description): \(reason)"])
    }
}
