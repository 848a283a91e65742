import Accounts
public import Models

/// When the logins of accounts expire, if the provider reports it; read without a keyring or a server.
public struct LoginEnds: Sendable {
    let workspace: Workspace
    let clock: SessionClock

    /// An account whose login expires soon.
    public struct Ending: Equatable, Sendable {
        public var account: AccountID
        public var end: Timestamp
    }

    /// How long before its end opus reports an expiring login, in seconds. If opus runs once a day, the user learns of
    /// it at least a day before.
    static let notice: Int64 = 3 * 86_400

    static func isSoon(_ end: Timestamp, _ now: Timestamp) -> Bool { end - now <= notice }

    func end(of account: Account) -> Timestamp? {
        guard account.login?.oauth != nil else { return nil }
        return LoginEnd(account.id, folder: workspace.storeFolder).time
    }

    /// Logins that expire soon or have expired, sorted by time.
    public func ending(of ids: [AccountID]) -> [Ending] {
        workspace.accounts.filter { ids.contains($0.id) }.compactMap { account in
            end(of: account).map { Ending(account: account.id, end: $0) }
        }
        .filter { Self.isSoon($0.end, clock.now) }.sorted { $0.end < $1.end }
    }
}
