import Models

/// `unflag`: removes the flag.
struct UnflagAction: PlainAction {
    static let entry = ActionEntry(.unflag, help: "remove the flag")
    static let action = Action.unflag

    func export(to script: inout SieveCommands) -> Bool { script.flag("removeflag", "\\Flagged") }
}
