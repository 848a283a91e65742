import Models

/// `archive`: moves the message to the archive.
struct ArchiveAction: PlainAction {
    static let entry = ActionEntry(.archive, help: "move it to the archive")
    static let action = Action.archive

    func export(to script: inout SieveCommands) -> Bool {
        script.place = script.folder(.archive)
        return true
    }
}
