/// All actions of the rules language, in the order of the help page, one row per action; each has its own
/// file in this folder.
enum ActionTable {
    static let templates: [any ActionTemplate.Type] = [
        KeepAction.self,
        ArchiveAction.self,
        TrashAction.self,
        JunkAction.self,
        MoveAction.self,
        DeferAction.self,
        LabelAction.self,
        UnlabelAction.self,
        BundleAction.self,
        FlagAction.self,
        UnflagAction.self,
        MarkAction.self,
        TaskAction.self,
        DelegateAction.self,
        VacationAction.self,
        WaitingAction.self,
        ReplyAction.self,
        ForwardAction.self,
        CopyAction.self,
        NotifyAction.self,
        UnsubscribeAction.self,
        SaveAttachmentAction.self,
    ]

    static let entries: [ActionEntry] = templates.map { $0.entry }
    static let names: [String] = entries.map(\.name)

    private static let byName = Dictionary(
        uniqueKeysWithValues: templates.map { ($0.entry.name, $0) })

    static func template(_ name: String) -> (any ActionTemplate.Type)? { byName[name] }

    /// The keys of `expect:` for actions.
    static let expectations: [ActionExpectation] = templates.compactMap { $0.expectation }
}
