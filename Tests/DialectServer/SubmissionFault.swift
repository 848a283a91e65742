/// What goes wrong while a message is submitted, and where.
public struct SubmissionFault: Sendable, CustomStringConvertible {
    public enum Place: Hashable, Sendable {
        /// Instead of the greeting.
        case greeting
        case ehlo
        case auth
        case mail
        case rcpt
        /// Instead of 354.
        case data
        /// Right after 354.
        case go
        /// After so many octets of the message.
        case body(Int)
        /// The final dot has come; the message is not stored.
        case dot
        /// Stored; the reply has not left.
        case stored
        /// Stored; the reply's first two octets have left.
        case reply
        /// Stored and answered.
        case answered
        case quit
    }

    public enum Effect: Sendable {
        /// FIN.
        case close
        /// RST.
        case reset
        /// Nothing more, and the connection stays.
        case stall
        /// Octets that are not a reply, then FIN.
        case garbage
        /// A reply, and the conversation goes on: `451 4.3.0 later`.
        case say(String)
        /// Something happens at this moment, and the conversation goes on; the words are for people.
        case act(String, @Sendable () -> Void)
    }

    public var place: Place
    public var effect: Effect
    /// So many go well before.
    public var skipping: Int
    public var count: Int

    public init(_ effect: Effect, at place: Place, skipping: Int = 0, count: Int = 1) {
        self.effect = effect
        self.place = place
        self.skipping = skipping
        self.count = count
    }

    public var description: String {
        if case .act(let words, _) = effect { return "\(words) at \(place) +\(skipping)" }
        return "\(effect) at \(place) +\(skipping)"
    }
}

/// The faults that are still to come.
struct SubmissionFaultPlan {
    private var waiting: [SubmissionFault] = []

    mutating func arm(_ faults: [SubmissionFault]) { waiting += faults }
    mutating func disarm() { waiting = [] }

    mutating func take(_ place: SubmissionFault.Place) -> SubmissionFault.Effect? {
        var taken: SubmissionFault.Effect?
        for index in waiting.indices where waiting[index].place == place {
            if waiting[index].skipping > 0 {
                waiting[index].skipping -= 1
            } else if taken == nil {
                waiting[index].count -= 1
                taken = waiting[index].effect
            }
        }
        waiting.removeAll { $0.count <= 0 }
        return taken
    }

    func isArmed(_ place: SubmissionFault.Place) -> Bool {
        waiting.contains { $0.place == place && $0.skipping == 0 }
    }

    /// The places in a body where something happens, ascending.
    var bodyPlaces: [Int] {
        waiting.compactMap { if case .body(let count) = $0.place { count } else { nil } }.sorted()
    }
}
