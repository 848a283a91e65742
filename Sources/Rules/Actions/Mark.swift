import Models
import YAMLSource

/// `mark: read`: marks the message as read or unread.
struct MarkAction: ActionTemplate {
    static let entry = ActionEntry(
        .mark, value: "read or unread", form: .words(["read", "unread"]), help: "mark it read or unread",
        example: "mark: read")

    let isRead: Bool

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        switch node.scalar {
        case "read": return [Self(isRead: true)]
        case "unread": return [Self(isRead: false)]
        case _:
            source.report.error("R020", node, "'mark' must be read or unread")
            return []
        }
    }

    func make(_ maker: inout ActionMaker) -> Action? { .mark(read: isRead) }

    static let expectation: ActionExpectation? = .flag("read", .seen)

    func export(to script: inout SieveCommands) -> Bool {
        script.flag(isRead ? "addflag" : "removeflag", "\\Seen")
    }
}
