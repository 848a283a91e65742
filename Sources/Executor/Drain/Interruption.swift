import Models

/// Nothing more can be done on this account; what is left waits for the next run.
struct Interruption: Error {
    let reason: String
    var halt = DrainReport.Halt.lost
}
