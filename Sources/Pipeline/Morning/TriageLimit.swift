/// The maximum number of messages that one triage may change.
public enum TriageLimit: Sendable, Equatable {
    /// 50 until a run has first been applied to mail, then no limit.
    case usual
    case all
    case most(Int)

    /// nil: no limit.
    public func number(_ session: Session) throws -> Int? {
        switch self {
        case .usual: try session.journal.hasRunOnMail() ? nil : BrakeCheck.firstRun
        case .all: nil
        case .most(let number): number
        }
    }
}
