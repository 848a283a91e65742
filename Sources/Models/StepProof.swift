/// What proves that a step happened, and why a step waits or was cancelled.
///
/// The program compares these values. It makes sentences of them only to show them, and never reads those back.
extension Step {
    /// The evidence that a step happened; for a mail, also how far its submission is.
    public struct Proof: Hashable, Sendable {
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// The answer of the server or the system: `COPYUID 17 5 12`, `250 queued`, a path.
            case reported = "told"
            /// The message already had the requested state.
            case unchanged
            /// The server showed the flags after the change.
            case marksShown = "marks-shown"
            /// The message already was in the mailbox. The detail is the mailbox, as in the next two cases.
            case alreadyIn = "already-in"
            /// The move that this step undoes never happened.
            case neverLeft = "never-left"
            /// Another program saved the draft again, and its version stays.
            case savedAgain = "saved-again"
            /// The mailbox was created. The detail is its name.
            case made
            /// The item to remove was already gone.
            case gone
            /// The file was removed. The detail is its path, as in the next three cases.
            case removed
            /// The file stays, because another mail has the same file.
            case shared
            /// The attachment already existed.
            case fileExisted = "file-existed"
            /// The task file already existed.
            case taskExisted = "task-existed"
            /// Another program changed the same part of the task: its value stays. The detail has path and parts.
            case keptAside = "kept-aside"
            /// The original of a copy was removed. The detail is the UID of the copy.
            case originalRemoved = "original-removed"
            /// The message was found in its mailbox. The detail is its place there: `UID 5`.
            case found
            /// opus found the mail after its answer was lost. The detail is the place: `Sent as UID 5`.
            case foundCopy = "found-copy"
            /// The server itself stores a copy of sent mail.
            case keptByServer = "kept-by-server"
            /// The message is deferred. The detail is ``DeferredUntil/word``.
            case waits
            case waitEnded = "wait-ended"
            /// The user confirmed that it happened.
            case userSaid = "user-said"
            /// The next sync showed that it happened.
            case seenBySync = "seen-by-sync"
            /// The final dot was sent, without an answer yet. Only the user can have the mail sent again.
            case dotSent = "dot-sent"
            /// The server refused the mail for now, or opus could not reach it: cancels ``dotSent``.
            case notSent = "not-sent"
            /// The connection was lost before the step was sent, so it did not happen.
            case lost

            /// Proofs of steps that changed nothing, because the requested state already existed.
            public static let ofNoChange: [Kind] = [
                .unchanged, .alreadyIn, .neverLeft, .gone, .fileExisted, .taskExisted,
            ]
        }

        public var kind: Kind
        /// A value whose meaning depends on ``kind``; empty: the kind needs none.
        public var detail: String

        public init(_ kind: Kind, _ detail: String = "") {
            self.kind = kind
            self.detail = detail
        }

        /// The answer of the server or the system.
        public static func reported(_ words: String) -> Proof { Proof(.reported, words) }

        public var sentence: String {
            switch kind {
            case .reported, .keptAside: detail
            case .unchanged: "already done"
            case .marksShown: "the flags were shown"
            case .alreadyIn: "already in \(detail)"
            case .neverLeft: "never left \(detail)"
            case .savedAgain: "another program saved it again: that version stays in \(detail)"
            case .made: "made \(detail)"
            case .gone: "already gone"
            case .removed: "removed \(detail)"
            case .shared: "\(detail) stays: another mail has the same file"
            case .fileExisted: "\(detail) was there already"
            case .taskExisted: "is there already: \(detail)"
            case .originalRemoved: "the copy is UID \(detail); the original was removed"
            case .found: "found as \(detail)"
            case .foundCopy: "found in \(detail)"
            case .keptByServer: "kept by the server"
            case .waits: "waits until \(detail)"
            case .waitEnded: "no longer deferred"
            case .userSaid: "you confirmed it"
            case .seenBySync: "seen by the next sync"
            case .dotSent: "final dot sent"
            case .notSent: "not sent"
            case .lost: "the connection was lost before it"
            }
        }
    }

    /// Why a step waits for the user or was cancelled, where opus acts on the reason.
    public enum Hold: String, Hashable, Sendable, CaseIterable {
        /// opus ended in the middle of a run, before it sent this mail.
        case crash
        /// It was cancelled with the step that it follows, and is restored with that step.
        case follows
        /// `opus undo` cancelled it before it happened.
        case undone
    }

    /// Why the step waits, failed or was cancelled, for people.
    public var reason: String? {
        switch hold {
        case nil: error
        case .crash: "opus ended in the middle of the last run; sending is paused until you confirm"
        case .follows: error.map { "held back: \($0)" } ?? "cancelled with the step before it"
        case .undone: "undone before it happened"
        }
    }
}
