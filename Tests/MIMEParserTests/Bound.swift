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
