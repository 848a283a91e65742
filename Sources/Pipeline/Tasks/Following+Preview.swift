import Accounts
import MIMEParser
import MailStore
public import Models
import Planner
import TaskStore

/// The part of a dry run about task files and deferred mail.
extension Following {
    /// The changes that ``taskEdits(for:allowMassDelete:agree:)`` would make to mail that opus linked to
    /// changed tasks, and the messages that would come back. Queues nothing, and does not mark task files as
    /// seen.
    public func preview(
        for ids: [AccountID], allowMassDelete: Bool, before rules: AppliedRules? = nil
    ) throws -> FollowReport {
        var report = FollowReport()
        let known = try store.todos.todoFiles()
        var scan = try Problem.wrap {
            try tasks.scan(known: known, now: clock.now, allowMassDelete: allowMassDelete)
        }
        scan.changes += try RefusedTaskMail(store: store).changes(of: ids, scan)
        report.malformed = scan.malformed.map { "tasks/\($0.path):\($0.line): \($0.reason)" }
        let links = try TaskLinks(
            scan, store: store, accounts: workspace.accounts.map(\.id),
            own: OwnAddressSet(workspace.addresses), now: clock.now)
        let contexts = try Dictionary(
            uniqueKeysWithValues: workspace.accounts.map { ($0.id, try accounts.stepContext($0)) })
        let plan = Planning.decide(
            changes: links.changes, links: links.mail, context: followContext(contexts, scan, known))
        report.lines = plan.actions.filter { ids.contains($0.account) }.map {
            FollowWords.line(for: $0, zone)
        }
        for id in ids {
            guard let context = contexts[id] else { continue }
            let returning = try deferrals.returning(of: accounts.require(id), context, before: rules)
            report.returned += try ReturnedMail.all(
                broughtBackBy: returning.steps, store, labels: workspace.bundleLabels)
        }
        return report
    }
}
