public import Models

/// An interrupted run, and its remaining steps.
public struct InterruptedLine: Sendable {
    public var run: RunLine
    /// The part of the run that was interrupted.
    var part: RunID
    public var steps: [Step]
}
