import Logging
import MailStore
public import Models
import TaskStore

/// Shared inputs of all parts of the drain: the account, its state and files, and the connection to it.
struct DrainContext: Sendable {
    let account: AccountID
    let store: Store
    let tasks: TaskFiles
    let files: AttachmentFolder
    /// nil: the caller queues no steps for lists.
    let lists: SenderLists?
    let sink: any MailSink
    /// nil if the account has no `smtp:`.
    let submitter: (any MailSubmitter)?
    /// The servers for reading and sending mail: what opus learns about them applies only to them.
    let route: String
    let now: Timestamp
    let logger: Logger
    /// The number of messages that move together, and so the number to check after a lost answer.
    let groupSize: Int
    /// Whether another program sent the draft of this submission.
    let sentElsewhere: @Sendable (Step) throws -> SentElsewhere?
    /// Whether this command already tried the step, by its row in the journal, and it failed on this machine: the same failure
    /// again is not a further attempt.
    let wasTried: @Sendable (Int64) -> Bool
    /// Whether no further step may begin.
    let isStopped: @Sendable () -> Bool
    /// Waits between two checks; tests pass their own clock.
    let pause: @Sendable (Duration) async throws -> Void
}

/// A mail with which another program probably sent the draft that opus was to send.
public struct SentElsewhere: Sendable {
    public var place: MessageKey
    /// Why opus asks the user before it sends the draft.
    public var words: String

    public init(place: MessageKey, words: String) {
        self.place = place
        self.words = words
    }
}

/// A part of the drain: the steps of one kind, or something that several kinds share. A part records its
/// results in the ``Ledger``.
protocol DrainPart: Sendable {
    var context: DrainContext { get }
}

extension DrainPart {
    var account: AccountID { context.account }
    var store: Store { context.store }
    var sink: any MailSink { context.sink }
    var now: Timestamp { context.now }

    /// Creates a mailbox that the account does not have.
    ///
    /// If the mailbox for deferred mail held mail, another program has renamed or deleted it since the last sync. A new
    /// one would take its place, and the mail in the renamed one would not come back. The next sync finds that one.
    func create(_ mailbox: Mailbox) async throws(SinkError) {
        if mailbox.role == .deferred, try hadMail(in: mailbox) {
            throw try await sink.lists(mailbox.name)
                ? .refused("the server does not open \(mailbox.displayName)")
                : .unsupported(
                    "the mailbox is gone: another program renamed or deleted it. Run `opus sync`, then try again"
                )
        }
        try await sink.create(mailbox)
    }

    private func hadMail(in mailbox: Mailbox) throws(SinkError) -> Bool {
        do {
            return try store.deferrals.hadMail(in: mailbox)
        } catch {
            throw .lost("the store could not be read: \(error)")
        }
    }
}
