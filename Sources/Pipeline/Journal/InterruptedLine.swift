public import Models

/// An interrupted run, and its remaining steps.
public struct InterruptedLine: Sendable {
    public var run: RunLine
    public var steps: [Step]
}
