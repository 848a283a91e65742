import Models
import Pipeline

/// Asks the user at the terminal.
struct TerminalAsk: Ask {
    let console: Console
    /// Asks about each item of a plan; nil: asks about whole plans.
    var walk: PlanWalkOutput?

    var isAttended: Bool { console.canAsk && !console.isJSON }

    func answer(_ question: Question) -> Answer {
        switch question {
        case .finish(let runs): answer(to: "Finish \(runs.count == 1 ? "it" : "them")?")
        case .apply(let plan): answer(to: "Apply this plan to \(plan.account)?")
        case .confirm(let plan, let held): isAttended ? confirm(plan, held) : .later
        case .archiveBacklog(let offer):
            answer(to: "Archive \(counted(offer.backlog.count, "message")) of \(offer.account)?")
        case .follow(let question): isAttended ? answer(to: text(question)) : .later
        }
    }

    func choice(of plan: Plan) -> PlanChoice? { walk?.choice(of: plan) }

    private func answer(to question: String) -> Answer {
        switch console.answer(to: question) {
        case true?: .yes
        case false?: .no
        case nil: .later
        }
    }

    /// The user types the id of the plan, which proves that they have seen it.
    private func confirm(_ plan: Plan, _ held: Problem) -> Answer {
        console.note(console.style.yellow("! ") + TerminalText.line(held.message))
        for detail in held.details { console.note("  " + TerminalText.line(detail)) }
        let typed = console.read("Type \(plan.name) to apply it anyway:").lowercased()
        return typed == plan.name || "p:" + typed == plan.name ? .yes : .no
    }

    private func text(_ question: FollowQuestion) -> String {
        let mail = question.messages == 1 ? "its mail" : "its \(question.messages) messages"
        let summary = TerminalText.line(question.summary)
        switch question.kind {
        case .trash: return "Task “\(summary)” is finished: move \(mail) to the trash?"
        case .many(let tasks):
            return "\(counted(tasks, "task")) changed: move \(counted(question.messages, "message"))?"
        case .link(let subject):
            return
                "Task “\(summary)” names the mail “\(TerminalText.line(subject))”, which opus did not link to it. "
                + "May the task move that mail?"
        }
    }
}
