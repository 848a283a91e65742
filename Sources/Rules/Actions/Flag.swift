import Models

/// `flag`: flags the message.
struct FlagAction: PlainAction {
    static let entry = ActionEntry(.flag, help: "flag it")
    static let action = Action.flag
    static let expectation: ActionExpectation? = .flag("flagged", .flagged)

    func export(to script: inout SieveCommands) -> Bool { script.flag("addflag", "\\Flagged") }
}
