import GRDB
public import Models

/// Why a call of the store failed. A failed call has changed nothing.
public enum MailStoreError: Error, Hashable, Sendable {
    case cannotOpen(path: String, reason: String)
    /// The file is damaged, or is not a database.
    case corrupt(reason: String)
    /// The disk (or the quota) is full.
    case full
    /// Another process holds the file.
    case busy
    /// A later version of the program wrote this file.
    case newerSchema(found: Int, known: Int)
    case io(reason: String)
    case sql(reason: String)
    /// Another message of the store has this id.
    case idTaken(EmailID)
    case unknownMessage(EmailID)
    /// The batch has another UIDVALIDITY than the store and does not request a reset.
    case uidValidityChanged(mailbox: MailboxName, stored: UInt32, given: UInt32)
    /// Only a step that is `ready` or `reconciling` can be issued.
    case stepNotReady(id: Int64)
    /// ``Step/State/transitions`` does not allow this change.
    case noSuchTransition(id: Int64, from: Step.State, to: Step.State)
    /// The step is not in the journal.
    case unknownStep(id: Int64)
    /// The interrupted rebuild is based on another state of the store, so it begins again.
    case staleRebuild
    /// The same change was queued again, so this step cannot be retried too.
    case queuedAgain(id: Int64)
}

extension MailStoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "cannot open the mail store \(path): \(reason)"
        case .corrupt(let reason):
            "the mail store is damaged (\(reason))"
        case .full: "no space left for the mail store; free some space and run again"
        case .busy: "another process is using the mail store; try again when it is done"
        case .newerSchema(let found, let known):
            "the mail store has version \(found), this program knows \(known); use the newer program"
        case .io(let reason): "cannot read or write the mail store: \(reason)"
        case .sql(let reason): "the mail store refused a statement: \(reason)"
        case .idTaken(let id): "another message already has the id \(id)"
        case .unknownMessage(let id): "no message \(id) in the store; sync first"
        case .uidValidityChanged(let mailbox, let stored, let given):
            "mailbox \(mailbox) has UIDVALIDITY \(given), the store has \(stored); sync it again"
        case .stepNotReady(let id): "step \(id) of the journal is not ready to be issued"
        case .noSuchTransition(let id, let from, let to):
            "step \(id) of the journal is \(from.rawValue) and cannot become \(to.rawValue)"
        case .unknownStep(let id): "the journal has no step \(id)"
        case .staleRebuild: "the store changed since its rebuild was interrupted; begin again"
        case .queuedAgain(let id):
            "step \(id) of the journal was queued again since; the later step remains"
        }
    }
}

extension MailStoreError {
    /// Keeps SQLite's message, but never the statement and its arguments: they contain mail.
    init(_ error: any Error, opening path: String? = nil) {
        guard let error = error as? DatabaseError else {
            self =
                error is DecodingError
                ? .corrupt(reason: "a record cannot be read")
                : error as? MailStoreError ?? .sql(reason: "\(type(of: error))")
            return
        }
        let reason = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
        self =
            switch error.resultCode {
            case .SQLITE_FULL: .full
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT: .corrupt(reason: reason)
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH:
                path.map { .cannotOpen(path: $0, reason: reason) } ?? .io(reason: reason)
            case .SQLITE_IOERR, .SQLITE_NOLFS, .SQLITE_TOOBIG, .SQLITE_NOMEM: .io(reason: reason)
            case _: .sql(reason: reason)
            }
    }
}
