/// The speed of decisions, for the line "14 left, about 6 min at your pace".
public struct InboxPace: Hashable, Sendable {
    /// A longer time between two decisions counts only as this many seconds.
    static let longestThought = 120.0
    /// The minimum number of decisions before a pace is shown.
    static let fewest = 3

    private var last: Double
    public private(set) var spent = 0.0
    public private(set) var decisions = 0

    /// Times are seconds of any monotonic clock.
    public init(start: Double) { last = start }

    /// Notes decisions that were made at this time.
    public mutating func note(at time: Double, count: Int = 1) {
        spent += min(max(0, time - last), Self.longestThought)
        last = max(last, time)
        decisions += count
    }

    /// The estimated seconds for this many items; nil: there are too few decisions yet.
    public func estimate(for left: Int) -> Double? {
        decisions < Self.fewest ? nil : spent / Double(decisions) * Double(left)
    }

    /// `14 left, about 6 min at your pace`
    public func words(left: Int) -> String {
        guard left > 0, let seconds = estimate(for: left) else { return "\(left) left" }
        return "\(left) left, \(Self.span(seconds)) at your pace"
    }

    private static func span(_ seconds: Double) -> String {
        let minutes = Int((seconds / 60).rounded())
        switch minutes {
        case ..<1: return "less than a minute"
        case ..<100: return "about \(minutes) min"
        case _: return "about \(Int((seconds / 3_600).rounded())) h"
        }
    }

    /// The elapsed time: `6 min`, `40 s`.
    public var words: String {
        spent < 100 ? "\(Int(spent.rounded())) s" : "\(Int((spent / 60).rounded())) min"
    }
}
