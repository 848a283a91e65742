import Models

/// `junk`: moves the message to the junk mailbox.
struct JunkAction: PlainAction {
    static let entry = ActionEntry(.junk, help: "move it to junk")
    static let action = Action.junk

    func export(to script: inout SieveCommands) -> Bool {
        script.place = script.folder(.junk)
        return true
    }
}
