import Models
import Planner

/// The report lines about mail that changes with its task.
enum FollowWords {
    static func line(for action: FollowAction, _ zone: ZoneClock) -> String {
        "task “\(action.summary)” \(cause(action)): \(effect(action, zone))"
    }

    static func held(_ action: FollowAction) -> String {
        "task “\(action.summary)” \(cause(action)): moving \(mail(action)) to the trash needs your confirmation "
            + "(--allow-trash)"
    }

    /// Includes the task's id for `opus task link`.
    static func unlinked(_ action: FollowAction) -> String {
        "task “\(action.summary)” \(cause(action)): \(mail(action, "stays", "stay")), because opus did not link it "
            + "(opus task link \(TaskName.short(action.todo)))"
    }

    static func declined(_ action: FollowAction) -> String {
        "task “\(action.summary)” \(cause(action)): \(mail(action, "stays", "stay")), as you decided"
    }

    /// A server without labels is not a failure: categories become keywords only where the server keeps them.
    static func takeLabelsNotKept(from run: inout RunReport) -> [String] {
        let isLabel = { (step: Step) in step.cause == .task(.categories) }
        let lines = run.drain.rejected.filter(isLabel).compactMap(\.error)
        run.drain.rejected.removeAll(where: isLabel)
        return Array(Set(lines)).sorted()
    }

    private static func cause(_ action: FollowAction) -> String {
        switch action.verb {
        case .done: "is done"
        case .cancelled: "is cancelled"
        case .reopened: "is open"
        case .start: action.effect == .backToInbox ? "starts now" : "starts later"
        case .waiting: "waits"
        case .scheduled: "is scheduled"
        case .someday: "is for someday"
        case .list: "is on another list"
        case .categories: "has other categories"
        }
    }

    private static func effect(_ action: FollowAction, _ zone: ZoneClock) -> String {
        switch action.effect {
        case .archive: mail(action, "goes", "go") + " to the archive"
        case .trash: mail(action, "goes", "go") + " to the trash"
        case .backToInbox: mail(action, "returns", "return") + " to the inbox"
        case .deferUntil(.time(let time)): mail(action, "is", "are") + " deferred until \(zone.minute(time))"
        case .deferUntil(.someday): mail(action, "is", "are") + " deferred without a date"
        case .mark(let add, let remove):
            "label "
                + (add.sorted().map { "+\($0)" } + remove.sorted().map { "-\($0)" }).joined(separator: " ")
        }
    }

    private static func mail(_ action: FollowAction, _ one: String, _ several: String) -> String {
        mail(action) + " " + (action.placements.count == 1 ? one : several)
    }

    private static func mail(_ action: FollowAction) -> String {
        action.placements.count == 1 ? "its mail" : "its \(action.placements.count) messages"
    }
}
