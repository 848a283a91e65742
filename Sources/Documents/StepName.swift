public import Models

/// The kind, the state and the interruption of steps, as keywords for programs.
public enum StepName {
    public static func kind(_ kind: Step.Kind) -> String {
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
        case .list: "list"
        case .createMailbox: "create-mailbox"
        case .editThreads: "edit-threads"
        }
    }

    public static func state(_ state: Step.State) -> String {
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

    public static func halt(_ halt: DrainReport.Halt) -> String {
        switch halt {
        case .lost: "lost"
        case .offline: "offline"
        case .loginRefused: "login-refused"
        }
    }
}
