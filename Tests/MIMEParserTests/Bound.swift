/// What a hostile message may cost: 2 s is the promise, and an optimised build holds it many times over. Builds for
/// debugging are slower by an order of magnitude, on a busy machine by more.
enum Bound {
    #if DEBUG
        static let time = Duration.seconds(30)
        static func rounds(_ count: Int) -> Int { count / 4 }
    #else
        static let time = Duration.seconds(2)
        static func rounds(_ count: Int) -> Int { count }
    #endif
}

/// A generator whose numbers are the same in every run (xorshift64*).
struct Fixed: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
