import Models

/// `trash`: moves the message to the trash.
struct TrashAction: PlainAction {
    static let entry = ActionEntry(.trash, help: "move it to the trash")
    static let action = Action.trash

    func export(to script: inout SieveCommands) -> Bool {
        script.place = script.folder(.trash)
        return true
    }
}
