#if OPUS_SEEDED_BUGS
    import Foundation
#endif

/// A safety that is taken away on purpose, so that the tests can be seen to notice (`Tests/seeded.py`).
///
/// Only in debug builds, by the environment variable `OPUS_SEEDED_BUG`; in a release build each of them is off, and the
/// compiler knows it. Each is asked for in one place.
public enum SeededBug: String, CaseIterable, Sendable {
    /// A mail whose final dot has left is sent again after a person's word to go on.
    case resendAfterDot
    /// Steps are not on disk as issued before their first byte leaves.
    case noIssuedCommit
    /// `EXPUNGE` instead of `UID EXPUNGE`.
    case plainExpunge
    /// OK to a MOVE is proof enough.
    case moveBelievedOnOK
    /// A UID is believed without the header that stands there.
    case moveWithoutHeaderCheck
    /// What anybody has marked goes with ours.
    case expungeAllDeleted
    /// The same wish is queued as often as it is made.
    case noIdempotencyKey
    /// A step is tried for ever.
    case attemptsNotCounted
    /// What follows a step that failed does not wait for it.
    case followersNotHeld
    /// Originals are removed, whatever the COPY proved.
    case deleteBeforeCopyProven
    /// Sent cannot be searched: so it was not sent.
    case refusedSearchMeansNotSent
    /// Tasks are written when their messages have moved.
    case taskAfterMove
    /// After a crash, what was still to be sent goes out at once.
    case sendsAfterCrash
    /// OK to a STORE is proof enough.
    case marksBelievedOnOK
    /// A copy that may be another message is taken for ours.
    case copyNotCompared
    /// A message whose APPEND had no answer is not looked for.
    case appendNotSearched
    /// Two programs at once.
    case noLock

    #if OPUS_SEEDED_BUGS
        private static let chosen = ProcessInfo.processInfo.environment["OPUS_SEEDED_BUG"]

        public var isOn: Bool { Self.chosen == rawValue }
    #else
        @inlinable public var isOn: Bool { false }
    #endif
}
