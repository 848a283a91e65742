public import Models

/// An interrupted run, and its remaining steps.
public struct InterruptedLine: Sendable {
    public var run: RunLine
    /// The interrupted part of the run.
    var part: RunID
    public var steps: [Step]
}
