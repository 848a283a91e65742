public import Models

/// Open moves of rules that wait until a mail or a copy of the same rule can be made. They may wait for days, and the user
/// sees their messages in the inbox with every other program: a command of the user replaces them.
public struct HeldBackMoves {
    public let moves: [Step]

    /// `open`: the open steps of one account.
    public init(_ open: [Step]) {
        let waiting = Set(
            open.lazy.filter { step in
                switch step.kind {
                case .append, .submit, .saveFile: step.error != nil
                case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .store, .move, .remove, .wait,
                    .removeFile, .list, .createMailbox, .editThreads:
                    false
                }
            }.compactMap(\.cause.rule))
        moves = open.filter { step in
            guard case .move = step.kind, step.state == .ready, step.error == nil else { return false }
            return step.cause.rule.map(waiting.contains) == true
        }
    }
}
