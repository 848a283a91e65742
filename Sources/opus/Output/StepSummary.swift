import Models

/// Steps of a run in people's words, counted by what they were.
struct StepSummary {
    let steps: [Step]

    init(_ steps: [Step]) { self.steps = steps }

    var lines: [String] {
        Self.counted(steps.map { StepWord.done($0.kind) })
    }

    /// Each word once, with its number, in the order in which they came.
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

enum StepWord {
    static func done(_ kind: Step.Kind) -> String {
        switch kind {
        case .createTodo(let todo): "× task written to tasks/\(TerminalText.line(todo.list.rawValue))"
        case .updateTodo, .restoreTodo: "× task changed"
        case .removeTodo: "× task removed"
        case .remove: "× draft removed"
        case .append(to: let mailbox, message: _, flags: _, token: _):
            "× message put into \(TerminalText.line(mailbox.displayName))"
        case .submit: "× message sent"
        case .store: "× flags or labels changed"
        case .wait(until: .some, before: _): "× deferred until another time"
        case .wait(until: nil, before: _): "× waits no more"
        case .move(_, to: let mailbox): "× moved to \(TerminalText.line(mailbox.displayName))"
        case .saveFile: "× attachment saved"
        case .removeFile: "× saved file removed"
        }
    }

    static func of(_ kind: Step.Kind) -> String {
        switch kind {
        case .createTodo(let todo): "write task \"\(TerminalText.line(todo.summary))\""
        case .updateTodo: "change a task"
        case .removeTodo: "remove a task"
        case .restoreTodo: "put a task back"
        case .remove: "remove a draft of ours"
        case .append(to: let mailbox, message: _, flags: _, token: _):
            "put a message into \(TerminalText.line(mailbox.displayName))"
        case .submit(reversePath: _, forwardPaths: let paths, message: _, token: _):
            "send to \(TerminalText.line(paths.joined(separator: ", ")))"
        case .store: "change flags or labels"
        case .wait(until: .some(let time), before: _): "defer until \(time.rfc3339)"
        case .wait(until: nil, before: _): "end the wait"
        case .move(_, to: let mailbox): "move to \(TerminalText.line(mailbox.displayName))"
        case .saveFile(section: _, let folder, let name):
            "save \(TerminalText.line(SavedFiles.path(name, in: folder)))"
        case .removeFile(let path, digest: _): "remove \(TerminalText.line(path))"
        }
    }

    /// `isUndo`: as the inverse of another step.
    static func of(_ kind: Step.Kind, isUndo: Bool) -> String {
        guard isUndo else { return of(kind) }
        return switch kind {
        case .createTodo, .restoreTodo: "put the task file back"
        case .updateTodo: "cancel the task"
        case .removeTodo: "remove the task file"
        case .store: "put flags or labels back"
        case .move(_, to: let mailbox): "move back to \(TerminalText.line(mailbox.displayName))"
        case .append, .submit, .remove, .wait, .saveFile, .removeFile: of(kind)
        }
    }

    static func state(_ state: Step.State) -> String {
        switch state {
        case .planned: "not agreed to"
        case .ready, .issued: "waiting"
        case .confirmed: "done"
        case .rejected: "failed"
        case .unknown, .reconciling: "unknown"
        case .needsDecision: "needs your decision"
        case .cancelled: "cancelled"
        }
    }

    /// For programs.
    static func name(_ state: Step.State) -> String {
        switch state {
        case .planned: "planned"
        case .reconciling: "reconciling"
        case .ready: "ready"
        case .issued: "issued"
        case .confirmed: "confirmed"
        case .rejected: "rejected"
        case .unknown: "unknown"
        case .needsDecision: "needs-decision"
        case .cancelled: "cancelled"
        }
    }

    static func halt(_ halt: DrainReport.Halt) -> String {
        switch halt {
        case .lost: "lost"
        case .offline: "offline"
        case .loginRefused: "login-refused"
        }
    }

    static func kind(_ kind: Step.Kind) -> String {
        switch kind {
        case .createTodo: "create-task"
        case .updateTodo: "update-task"
        case .removeTodo: "remove-task"
        case .restoreTodo: "restore-task"
        case .remove: "remove"
        case .append: "append"
        case .submit: "submit"
        case .store: "store"
        case .move: "move"
        case .wait: "wait"
        case .saveFile: "save-attachment"
        case .removeFile: "remove-attachment"
        }
    }
}

/// Actions in one word each, for programs.
enum ActionWord {
    static func of(_ action: Action) -> String {
        switch action {
        case .keep: "keep"
        case .archive: "archive"
        case .trash: "trash"
        case .junk: "junk"
        case .move(let mailbox): "move=\(mailbox.displayName)"
        case .deferUntil(let time): "defer=\(time.rfc3339)"
        case .label(let keyword): "label=\(keyword)"
        case .unlabel(let keyword): "unlabel=\(keyword)"
        case .flag: "flag"
        case .unflag: "unflag"
        case .mark(let read): read ? "read" : "unread"
        case .task(let draft): "task=\(draft.list)"
        case .delegate(let delegation): "delegate=\(delegation.to.addrSpec)"
        case .vacation(let reply): "vacation=\(reply.to.addrSpec)"
        case .letter(let letter):
            "\(letter.kind.rawValue)=" + letter.to.map(\.addrSpec).joined(separator: "+")
        case .waiting(let waiting): "waiting=\(waiting.on.addrSpec)"
        case .notify: "notify"
        case .unsubscribe: "unsubscribe"
        case .saveFiles(let saving): "save-attachment=" + saving.paths.joined(separator: "+")
        }
    }
}

/// `opus.run/1`
struct RunDocument: Encodable {
    struct Item: Encodable {
        var account: String
        var run: String?
        var confirmed: Int
        /// Of the confirmed: nothing had to be done.
        var alreadySo: Int
        var waiting: Int
        var failed: Int
        var undecided: Int
        /// Steps whose time has not come, or that need a word.
        var later: Int
        var interruption: String?
        /// `lost`, `offline`, `login-refused`.
        var halt: String?
        /// What rules want the person to know.
        var notices: [String]?
        var steps: [StepItem]
    }

    struct StepItem: Encodable {
        var kind: String
        var message: String?
        var rule: String
        var state: String
        var error: String?
        var evidence: String?
        /// How often it was tried; only in `opus.run-detail/1`, as the next.
        var attempts: Int?
        /// The run that took it back.
        var undoneBy: String?

        init(_ step: Step) {
            kind = StepWord.kind(step.kind)
            message = step.message?.rawValue
            rule = step.rule
            state = StepWord.name(step.state)
            error = step.error
            evidence = step.evidence
        }
    }

    var schema = "opus.run/1"
    var items: [Item]
}
