import Models
import Pipeline

/// Asks about the items of a plan one by one, as `git add -p` does.
struct PlanWalkOutput: Sendable {
    let session: Session
    let console: Console

    private static let keys = [
        "y  yes, do this", "s  skip it for now", "e  do something else with it",
        "A  yes to this and all later messages of the same rule", "q  stop; the rest stays undecided",
        "?  this help",
    ]
    private static let actions =
        "archive, trash, junk, flag, read, defer WHEN, move MAILBOX, label NAME, task TITLE or delegate ADDRESS"

    func choice(of plan: Plan) -> PlanChoice {
        var walk = PlanWalk(plan)
        let ids = (try? session.messages.shortIDs(plan.items.map(\.message))) ?? [:]
        while let item = walk.item, let current = walk.current {
            var one = plan
            one.items = [item]
            let text = PlanText(
                plan: one, ids: ids, when: When(zone: session.zone, now: session.now), style: console.style,
                width: console.width)
            console.print("")
            console.print(lines: text.lines())
            let rule = TerminalText.line(walk.rule ?? "")
            ask("(\(current + 1)/\(walk.items.count)) \(rule): do this? [y,s,e,A,q,?]", &walk, item)
        }
        return walk.choice
    }

    private func ask(_ question: String, _ walk: inout PlanWalk, _ item: Plan.Item) {
        while true {
            // The input has ended: the remaining items stay undecided.
            guard let typed = console.word(question) else { return walk.stop() }
            switch typed {
            case "y", "yes": return walk.yes()
            case "s", "n": return walk.skip()
            case "A": return walk.all()
            case "q": return walk.stop()
            case "e": if other(&walk, item) { return }
            case _: for line in Self.keys { console.note(line) }
            }
        }
    }

    /// Whether another action was chosen.
    private func other(_ walk: inout PlanWalk, _ item: Plan.Item) -> Bool {
        guard let typed = console.word("What instead? (\(Self.actions))"), !typed.isEmpty else {
            return false
        }
        guard let action = PlanAction(typed: typed) else {
            console.note("\"\(TerminalText.line(typed))\" is none of these: \(Self.actions)")
            return false
        }
        do {
            // A mailbox, a day or an address that cannot be is reported now.
            try PlanActing(session).check(action, of: item.message)
        } catch {
            console.report(Problem(error))
            return false
        }
        walk.choose(action)
        return true
    }
}
