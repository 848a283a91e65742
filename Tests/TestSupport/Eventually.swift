/// Asks again and again for up to twenty seconds.
public func eventually<Value: Sendable>(
    _ what: String, _ question: @Sendable () async throws -> Value?
) async throws -> Value {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
        if let value = try await question() { return value }
        try await Task.sleep(for: .milliseconds(5))
    }
    throw NeverHappened(what: what)
}

public struct NeverHappened: Error {
    public let what: String

    public init(what: String) { self.what = what }
}
