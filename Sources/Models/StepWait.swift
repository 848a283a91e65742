/// Why a step of the journal waits, for those who count them.
public enum StepWait: String, Codable, CodingKeyRepresentable, CaseIterable, Sendable {
    /// The connection was lost before or during it: opus checks and tries again.
    case lost
    /// The server or this machine refused it for now: opus tries again.
    case failed
    /// It is due later, such as a mail that is held.
    case scheduled
    /// It was not tried yet, for example without a network, or it follows another step.
    case queued
    /// The user has not confirmed it.
    case confirmation
    /// opus cannot tell whether it happened: the user must decide.
    case decision
}
