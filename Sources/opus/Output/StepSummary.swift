import Documents
import Models
import Pipeline

/// Steps of a run in words, counted by kind.
struct StepSummary {
    let steps: [Step]

    init(_ steps: [Step]) { self.steps = steps }

    var lines: [String] {
        Self.counted(steps.map(StepWord.done))
    }

    /// Each text once, with its count, in the order of first appearance.
    static func counted(_ words: [String]) -> [String] {
        var counts: [(word: String, count: Int)] = []
        for word in words {
            if let index = counts.firstIndex(where: { $0.word == word }) {
                counts[index].count += 1
            } else {
                counts.append((word, 1))
            }
        }
        return counts.map { "\($0.count) \($0.word)" }
    }
}

/// One step in words, escaped for a terminal. Times are in the zone of the workspace.
enum StepWord {
    static func of(_ kind: Step.Kind, _ when: When) -> String {
        TerminalText.line(StepWords.of(kind, time: when.moment))
    }

    /// For a message that moved along with its conversation: the message that the rule matched.
    static func along(_ message: EmailID, _ names: [EmailID: String]) -> String {
        ", along with \(names[message] ?? message.shown)"
    }

    static func inverse(_ kind: Step.Kind, _ when: When) -> String {
        TerminalText.line(StepWords.inverse(kind, time: when.moment))
    }

    static func proof(_ proof: Step.Proof, _ when: When) -> String {
        guard proof.kind == .waits, let time = Timestamp(rfc3339: proof.detail) else {
            return TerminalText.line(proof.sentence)
        }
        return "waits until \(when.moment(time))"
    }

    static func done(_ step: Step) -> String {
        switch step.proof?.kind {
        case .shared: "× saved file kept for another mail"
        case .keptAside: "× task changed on both sides: see opus task conflicts"
        default: done(step.kind)
        }
    }

    static func done(_ kind: Step.Kind) -> String {
        switch kind {
        case .createTodo(let todo): "× task written to tasks/\(TerminalText.line(todo.list.rawValue))"
        case .updateTodo, .restoreTodo: "× task changed"
        case .removeTodo: "× task removed"
        case .remove: "× draft or copy removed"
        case .append(to: let mailbox, message: _, flags: _, token: _):
            "× message put into \(TerminalText.line(mailbox.displayName))"
        case .submit: "× message sent"
        case .store: "× flags or labels changed"
        case .wait(until: .some(.time), before: _): "× deferred until another time"
        case .wait(until: .some(.someday), before: _): "× deferred to someday"
        case .wait(until: nil, before: _): "× no longer deferred"
        case .move(_, to: let mailbox): "× moved to \(TerminalText.line(mailbox.displayName))"
        case .saveFile: "× attachment saved"
        case .removeFile: "× saved file removed"
        case .list(let list, entry: _, isListed: true): "× sender added to \(list.path)"
        case .list(let list, entry: _, isListed: false): "× sender taken out of \(list.path)"
        case .createMailbox(let mailbox): "× mailbox \(TerminalText.line(mailbox.displayName)) made"
        case .editThreads: "× threads changed"
        }
    }

    static func state(_ state: Step.State) -> String {
        switch state {
        case .planned: "not confirmed"
        case .ready, .issued: "waiting"
        case .confirmed: "done"
        case .rejected: "failed"
        case .unknown, .reconciling: "unknown"
        case .needsDecision: "needs your decision"
        case .cancelled: "cancelled"
        }
    }
}
