import Accounts
public import Models

/// Until when the logins of accounts are good, where the provider says so; read without asking a keyring or a server.
public struct LoginEnds: Sendable {
    let workspace: Workspace
    let clock: SessionClock

    /// An account that must log in again before long.
    public struct Ending: Equatable, Sendable {
        public var account: AccountID
        public var end: Timestamp
    }

    /// opus reports the end this long before: at least a day ahead, if it is started once a day.
    static let notice: Int64 = 3 * 86_400

    static func isSoon(_ end: Timestamp, _ now: Timestamp) -> Bool { end - now <= notice }

    func end(of account: Account) -> Timestamp? {
        guard account.login?.oauth != nil else { return nil }
        return LoginEnd(account.id, folder: workspace.storeFolder).time
    }

    /// Those that end soon or have ended, the first one first.
    public func ending(of ids: [AccountID]) -> [Ending] {
        workspace.accounts.filter { ids.contains($0.id) }.compactMap { account in
            end(of: account).map { Ending(account: account.id, end: $0) }
        }
        .filter { Self.isSoon($0.end, clock.now) }.sorted { $0.end < $1.end }
    }
}
