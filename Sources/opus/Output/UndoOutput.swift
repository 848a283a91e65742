import Documents
import Models
import Pipeline

/// Prints the preview of an undo.
struct UndoOutput {
    let session: Session
    let console: Console

    private var when: When { When(zone: session.zone, now: session.now) }

    func show(_ plan: UndoPlan) throws {
        let ids = try session.messages.shortIDs(plan.lines.compactMap(\.step.message))
        guard console.isTerminal else {
            for line in plan.lines { console.print(machine(line, ids)) }
            return
        }
        console.print(
            "Undo of \(plan.run.id) (\(TerminalText.line(plan.run.command)), \(when.moment(plan.run.started))) "
                + "in " + plan.accounts.map(AccountName.of).joined(separator: ", "))
        for line in summary(plan.lines) { console.print("  " + line) }
        for line in plan.lines {
            guard case .cannot(let reason) = line.fate else { continue }
            let id = line.step.message.flatMap { ids[$0] } ?? "-"
            console.print(
                console.style.yellow("  ! \(id)  ") + StepWord.of(line.step.kind, when) + ": "
                    + TerminalText.line(reason))
        }
        if plan.lines.isEmpty { console.print("  nothing: none of its steps was carried out") }
    }

    func already(_ plan: UndoPlan) -> String {
        let runs = plan.undoneBy.map(\.description).joined(separator: ", ")
        return "\(plan.run.id) is already undone by \(runs)."
    }

    private func summary(_ lines: [UndoPlan.Line]) -> [String] {
        var counts: [(word: String, count: Int)] = []
        for line in lines {
            let word: String
            switch line.fate {
            case .inverse(let kind): word = "× " + StepWord.inverse(kind, when) + until(line)
            case .cancelled: word = "× cancel: " + StepWord.of(line.step.kind, when)
            case .nothing(let reason): word = "× nothing to undo: " + TerminalText.line(reason)
            case .cannot: continue
            }
            if let index = counts.firstIndex(where: { $0.word == word }) {
                counts[index].count += 1
            } else {
                counts.append((word, 1))
            }
        }
        return counts.map { "\($0.count) \($0.word)" }
    }

    /// When a message comes back that waits again.
    private func until(_ line: UndoPlan.Line) -> String {
        guard case .inverse = line.fate else { return "" }
        return switch line.until {
        case .time(let time): " until \(when.moment(time))"
        case .someday: " (someday)"
        case nil: ""
        }
    }

    private func reason(_ fate: UndoPlan.Line.Fate) -> String {
        if case .inverse(let kind) = fate { return StepWord.inverse(kind, when) }
        return TerminalText.line(UndoWord.reason(fate) ?? "")
    }

    private func machine(_ line: UndoPlan.Line, _ ids: [EmailID: String]) -> String {
        [
            UndoWord.fate(line.fate), line.step.message.flatMap { ids[$0] } ?? "-",
            TerminalText.line(line.step.cause.name), StepWord.of(line.step.kind, when),
            reason(line.fate) + until(line),
        ].joined(separator: "\t")
    }
}

/// An account in a sentence.
enum AccountName {
    static func of(_ id: AccountID) -> String { id == .tasks ? "the task folder" : id.rawValue }
}
