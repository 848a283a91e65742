import Models
public import Pipeline

/// `opus.account-login/1`
public struct AccountLoginDocument: Encodable, Sendable {
    var schema = "opus.account-login/1"
    var account: String
    /// A description of where the tokens are stored.
    var stored: String

    public init(_ done: AccountLogin.Done) {
        account = done.account.rawValue
        stored = done.place
    }
}
