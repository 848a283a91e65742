import Accounts
import Models

/// An account in the output of `opus account list`.
public struct AccountLine: Sendable {
    public var name: String
    public var address: String
    public var kind: String
    public var place: String

    init(_ account: Account) {
        name = account.id.rawValue
        address = account.address.addrSpec
        kind = account.source.kind
        place = account.source.place
    }
}

extension AccountLine {
    /// The accounts of the workspace.
    public static func all(_ options: SessionOptions) throws -> [AccountLine] {
        try options.loadWorkspace().accounts.map(AccountLine.init)
    }
}
