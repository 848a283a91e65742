import Models

/// The letters of several rules to the same people about one message: the same text is written once, and another text is a mail
/// of its own.
enum LetterNumbers {
    static func assign(in item: inout Plan.Item) {
        guard item.decisions.count > 1, item.decisions.contains(where: { $0.action.letter != nil }) else {
            return
        }
        var letters: [Letter] = []
        var kept: [Plan.Decision] = []
        for var decision in item.decisions {
            if var letter = decision.action.letter {
                guard !letters.contains(where: { $0.saysTheSame(as: letter) }) else {
                    item.shadowed.append(decision)
                    continue
                }
                let earlier = letters.count { $0.isOfOnePurpose(with: letter) }
                letters.append(letter)
                if earlier > 0 {
                    letter.number = earlier + 1
                    decision.action = .make(.letter(letter))
                }
            }
            kept.append(decision)
        }
        item.decisions = kept
    }
}

extension Action {
    fileprivate var letter: Letter? {
        if case .make(.letter(let letter)) = self { letter } else { nil }
    }
}

extension Letter {
    fileprivate func isOfOnePurpose(with other: Letter) -> Bool {
        kind == other.kind && to.map(\.comparable) == other.to.map(\.comparable)
    }

    fileprivate func saysTheSame(as other: Letter) -> Bool {
        isOfOnePurpose(with: other) && subject == other.subject && text == other.text
    }
}
