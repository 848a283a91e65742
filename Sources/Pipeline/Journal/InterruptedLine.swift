public import Models

/// A run in whose middle opus ended, and what is left of it.
public struct InterruptedLine: Sendable {
    public var run: RunLine
    public var steps: [Step]
}
