import Logging
import MailStore
import Models
import TaskStore

/// Shared inputs of all parts of the drain: the account, its state and files, and the connection to it.
struct DrainContext: Sendable {
    let account: AccountID
    let store: Store
    let tasks: TaskFiles
    let files: AttachmentFolder
    /// nil: the caller queues no steps on lists.
    let lists: SenderLists?
    let sink: any MailSink
    /// nil where the account has no `smtp:`.
    let submitter: (any MailSubmitter)?
    /// The servers for reading and sending mail: what opus remembers about them applies to no others.
    let route: String
    let now: Timestamp
    let logger: Logger
    /// How many messages move together.
    let groupSize: Int
    /// Whether no other step may begin.
    let isStopped: @Sendable () -> Bool
    /// Waits between two checks; tests have a clock of their own.
    let pause: @Sendable (Duration) async throws -> Void
}

/// A part of the drain: the steps of one kind, or something that several kinds need. What a part finds out goes into the
/// ``Ledger``.
protocol DrainPart: Sendable {
    var context: DrainContext { get }
}

extension DrainPart {
    var account: AccountID { context.account }
    var store: Store { context.store }
    var sink: any MailSink { context.sink }
    var now: Timestamp { context.now }
}
