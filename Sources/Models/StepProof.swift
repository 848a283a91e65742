/// What proves that a step happened, and why a step waits or was cancelled.
///
/// Both are values that the program compares. The sentences are made from them when they are shown, and never read back.
extension Step {
    /// The evidence for a step; for a mail that is being sent, also the progress of the submission.
    public struct Proof: Hashable, Sendable {
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// The words of the server or the system: `COPYUID 17 5 12`, `250 queued`, a path.
            case reported = "told"
            /// The message was as wished before anything was done.
            case unchanged
            /// The server showed the flags after the change.
            case marksShown = "marks-shown"
            /// The message was in the mailbox before anything was done. The detail is the mailbox, as in the next two.
            case alreadyIn = "already-in"
            /// The move that this one undoes did not happen.
            case neverLeft = "never-left"
            /// Another program saved the draft again: its version stays.
            case savedAgain = "saved-again"
            /// The mailbox was made. The detail is its name.
            case made
            /// The thing to remove was already gone.
            case gone
            /// The file was removed. The detail is its path, as in the next three.
            case removed
            /// The file stays, because another mail has the same one.
            case shared
            /// An attachment that was there before.
            case fileExisted = "file-existed"
            /// A task file that was there before.
            case taskExisted = "task-existed"
            /// The original of a copy was removed. The detail is the UID of the copy.
            case originalRemoved = "original-removed"
            /// The message was found in its mailbox. The detail is its place there: `UID 5`.
            case found
            /// A mail whose answer was lost was found. The detail is where: `Sent as UID 5`.
            case foundCopy = "found-copy"
            /// The server files sent mail itself.
            case keptByServer = "kept-by-server"
            /// The message waits. The detail is ``DeferredUntil/word``.
            case waits
            case waitEnded = "wait-ended"
            /// The user said that it happened.
            case userSaid = "user-said"
            /// The next sync showed that it happened.
            case seenBySync = "seen-by-sync"
            /// The final dot of the submission left, and its answer did not come yet. The mail is never sent again without
            /// the user's consent.
            case dotSent = "dot-sent"
            /// The server refused the mail for now, or was not reached: takes ``dotSent`` back.
            case notSent = "not-sent"

            /// Nothing was to be done: what the step wished for was there before.
            public static let ofNoChange: [Kind] = [
                .unchanged, .alreadyIn, .neverLeft, .gone, .fileExisted, .taskExisted,
            ]
        }

        public var kind: Kind
        /// A value whose meaning depends on ``kind``; empty where the kind is enough.
        public var detail: String

        public init(_ kind: Kind, _ detail: String = "") {
            self.kind = kind
            self.detail = detail
        }

        /// The words of the server or the system.
        public static func reported(_ words: String) -> Proof { Proof(.reported, words) }

        public var sentence: String {
            switch kind {
            case .reported: detail
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
            }
        }
    }

    /// Why a step waits for the user, or was cancelled, where that decides what happens next.
    public enum Hold: String, Hashable, Sendable, CaseIterable {
        /// A mail that was to be sent when opus ended in the middle of a run.
        case crash
        /// It was cancelled with the step that it follows, and comes back with that one.
        case follows
        /// `opus undo` came before it happened.
        case undone
    }

    /// Why it waits, failed or was cancelled, for people.
    public var reason: String? {
        switch hold {
        case nil: error
        case .crash: "opus ended in the middle of the last run; sending is paused until you confirm"
        case .follows: error.map { "held back: \($0)" } ?? "cancelled with the step before it"
        case .undone: "undone before it happened"
        }
    }
}
