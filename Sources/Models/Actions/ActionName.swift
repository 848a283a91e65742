/// The name of every action: in rule files, stored plans, the journal of commands, imports and exports.
///
/// The raw value is the word that people write, and it is part of `opus.plan/1`: names are added and never changed.
public enum ActionName: String, Hashable, Codable, CaseIterable, Sendable {
    case keep
    case archive
    case trash
    case junk
    case move
    case deferUntil = "defer"
    case label
    case unlabel
    case bundle
    case flag
    case unflag
    case mark
    case task
    case delegate
    case waiting
    case reply
    case forward
    case vacation
    case copy
    case saveAttachment = "save-attachment"
    case notify
    case unsubscribe

    /// The kind of effect that an action has; see ``Action``.
    public enum Family: Hashable, Sendable {
        case place
        case mark
        case make
        case tell
    }

    public var family: Family {
        switch self {
        case .keep, .archive, .trash, .junk, .move, .deferUntil: .place
        case .label, .unlabel, .bundle, .flag, .unflag, .mark: .mark
        case .task, .delegate, .waiting, .reply, .forward, .vacation, .copy, .saveAttachment: .make
        case .notify, .unsubscribe: .tell
        }
    }
}
