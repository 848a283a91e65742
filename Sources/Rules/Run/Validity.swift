public import Models
import Synchronization

/// How long a judgement stays the same if only the clock moves on.
///
/// Everything in a judgement that depends on the clock reads ``RuleContext/now``, which ends the validity at once, or
/// compares an age with ``RuleContext/compares(_:_:since:)``, which ends it at the time at which the comparison changes.
public final class Validity: Sendable {
    /// nil: unlimited.
    private let limit = Mutex<Timestamp?>(nil)

    public init() {}

    /// The judgement may change then.
    public func end(at time: Timestamp) {
        limit.withLock { if $0.map({ time < $0 }) ?? true { $0 = time } }
    }

    /// The judgement may change at any time.
    public func end() { end(at: Timestamp(seconds: .min)) }

    /// When the judgement may change; nil: never.
    public var until: Timestamp? { limit.withLock(\.self) }
}

extension RuleContext {
    /// Compares the time that has passed since `start` with a number of seconds.
    func compares(_ sign: Comparison, _ seconds: Int64, since start: Timestamp) -> Bool {
        let age = time - start
        // No comparison changes between these two ages, or after the second one.
        if let change = [seconds, seconds + 1].first(where: { $0 > age }) {
            validity?.end(at: start + change)
        }
        return sign.holds(age, seconds)
    }
}
