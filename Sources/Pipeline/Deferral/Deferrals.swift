import Accounts
import MailStore
public import Models
import Planner

/// Deferred messages and their dates.
public struct Deferrals: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let clock: SessionClock
    let lines: MessageLines
    let lists: DeferredLists
    let rounds: DeferralRounds

    /// Call after a sync: takes over dates from the lists in the account, and moves by other programs. Moves
    /// nothing.
    public func readDates(of id: AccountID) async throws {
        let account = try accounts.require(id)
        try await rounds.settle(account, try accounts.stepContext(account))
    }

    /// The messages in the deferred mailboxes, sorted by date; those without a date are last.
    public func list(account: String?) throws -> [MessageLine] {
        var found: [MessageLine] = []
        for id in try accounts.ids(named: account) {
            let account = try accounts.require(id)
            let waiting = try lists.mailbox(of: accounts.stepContext(account)).waiting
            found += try lines.of(waiting, account: account)
        }
        return found.sorted { $0.returnsBefore($1) }
    }

    /// The number of leading words that are message ids: the date is the longest valid phrase at the end, and
    /// there is at least one id.
    public func leadingIDs(in words: [String]) -> Int {
        let phrase = DeferPhrase(workspace: workspace, now: clock.now)
        for count in 1..<max(2, words.count) {
            let rest = words.dropFirst(count).joined(separator: " ")
            if rest == HandVerb.Effect.none || phrase.until(rest) != nil { return count }
        }
        return words.count - 1
    }
}

extension MessageLine {
    /// `Int64.max` means someday.
    private var returnsAt: Int64 {
        for case .deferred(.time(let time)) in states { return time.seconds }
        return .max
    }

    fileprivate func returnsBefore(_ other: MessageLine) -> Bool {
        (returnsAt, facts.received, facts.id) < (other.returnsAt, other.facts.received, other.facts.id)
    }
}
