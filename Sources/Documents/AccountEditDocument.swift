/// `opus.account-edit/1`
public struct AccountEditDocument: Encodable, Sendable {
    var schema = "opus.account-edit/1"
    var account: String
    /// `added` or `removed`.
    var change: String
    var workspace: String
    /// An account whose mailboxes the added one has, too.
    var sameMailboxesAs: String?

    public init(account: String, change: String, workspace: String, sameMailboxesAs: String? = nil) {
        self.account = account
        self.change = change
        self.workspace = workspace
        self.sameMailboxesAs = sameMailboxesAs
    }
}
