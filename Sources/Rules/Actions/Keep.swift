import Models

/// `keep`: leaves the message where it is; later rules are not tried.
struct KeepAction: PlainAction {
    static let entry = ActionEntry(.keep, help: "leave the message where it is, and end its triage")
    static let action = Action.keep

    func export(to script: inout SieveCommands) -> Bool { true }
}
