import Accounts
import Crypto
import Foundation
import MailStore
public import Models
import Planner
import Rules

/// Remembers the inboxes in which the rules had nothing to do, so that `opus run` does not judge them again.
///
/// A plan depends on the facts in the store, the rules, the settings, the program and the clock. The store
/// deletes the note when a fact changes. The basis of the note identifies rules, settings and program.
/// ``Validity`` says until when the clock does not matter. See docs/decisions/0027-quiet-inbox.md.
public struct QuietInbox: Sendable {
    let workspace: Workspace
    let store: Store
    let clock: SessionClock

    /// A judgement of an inbox, from the moment before its facts are read.
    struct Judgement {
        let number: Int64
        let validity = Validity()
    }

    /// Whether the rules would find nothing to do, because they found nothing before and nothing has changed.
    public func isQuiet(_ account: AccountID, _ library: RuleLibrary) throws -> Bool {
        guard let note = try store.rules.quietNote(of: account), note.basis == basis(library) else {
            return false
        }
        let now = clock.now
        return now >= note.judgedAt && note.until.map { now < $0 } ?? true
    }

    func begin(_ account: AccountID) throws -> Judgement {
        Judgement(number: try store.rules.beginJudgement(of: account, at: clock.now))
    }

    /// Call for a plan that changes nothing, after everything about it was noted in the store.
    func end(_ judgement: Judgement, with plan: Plan, _ library: RuleLibrary) throws {
        let until = judgement.validity.until
        guard let basis = basis(library), until.map({ $0 > plan.now }) ?? true else { return }
        try store.rules.note(
            QuietNote(basis: basis, judgedAt: plan.now, until: until), of: plan.account,
            judgement: judgement.number)
    }

    /// Identifies the program, the settings and the rules; nil: unknown.
    private func basis(_ library: RuleLibrary) -> String? {
        guard !workspace.text.isEmpty, let program = Self.program else { return nil }
        let parts = [program, workspace.text, workspace.root, workspace.timeZone, library.digest]
        return Hex.encode(SHA256.hash(parts.flatMap { Array($0.utf8) + [0] }))
    }

    /// Another version of the program may decide differently.
    private static let program: String? = {
        var status = stat()
        guard stat("/proc/self/exe", &status) == 0 else { return nil }
        return [
            Int(status.st_dev), Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec,
            status.st_mtim.tv_nsec,
        ].map(String.init).joined(separator: " ")
    }()
}

extension Plan {
    /// Whether it would change and report nothing.
    var isQuiet: Bool {
        warnings.isEmpty && items.allSatisfy { $0.isUntouched && $0.warnings.isEmpty }
    }
}
