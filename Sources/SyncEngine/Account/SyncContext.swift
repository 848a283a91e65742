import Logging
import MailStore
import Models

/// Shared inputs of all parts of one account's sync.
struct SyncContext: Sendable {
    let account: AccountID
    var source: any MailSource
    /// nil: there is one connection.
    let spare: SpareSource?
    let store: Store
    let logger: Logger
    let now: Timestamp
    let window: SyncWindow
    /// Mailboxes that the user leaves out.
    let exclude: MailboxExclusion
    /// Over all attempts of this sync.
    let losses: LossSearch
    let turn = IntakeTurn()
    /// nil: signatures are not checked.
    let signatures: SignatureCheck?
    /// Receives the progress now and then.
    let progress: @Sendable (SyncProgress) -> Void
}
