import Logging
import MailStore
import Models

/// Shared inputs of all parts of one account's sync.
struct SyncContext: Sendable {
    let account: AccountID
    var source: any MailSource
    /// nil: there is only one connection.
    let spare: SpareSource?
    let store: Store
    let logger: Logger
    let now: Timestamp
    var scope: SyncScope
    /// Mailboxes that the configuration excludes.
    let exclude: MailboxExclusion
    /// Shared by all attempts of this sync.
    let losses: LossSearch
    let turn = IntakeTurn()
    /// nil: signatures are not checked.
    let signatures: SignatureCheck?
    /// Receives the progress from time to time.
    let progress: @Sendable (SyncProgress) -> Void
}
