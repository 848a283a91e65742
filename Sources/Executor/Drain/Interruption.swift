import Models

/// The drain cannot continue with this account; the remaining steps wait for the next run.
struct Interruption: Error {
    let reason: String
    var halt = DrainReport.Halt.lost
}
