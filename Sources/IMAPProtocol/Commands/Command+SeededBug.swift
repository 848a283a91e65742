#if OPUS_SEEDED_BUGS
    import Foundation
#endif

extension Command {
    /// A safety that is taken away on purpose in debug builds (`SeededBug.plainExpunge` in Models, which this module
    /// does not see): `UID` and its set are left out of `UID EXPUNGE`.
    static var seededBugOmitsUID: Bool {
        #if OPUS_SEEDED_BUGS
            seededBug == "plainExpunge"
        #else
            false
        #endif
    }

    #if OPUS_SEEDED_BUGS
        private static let seededBug = ProcessInfo.processInfo.environment["OPUS_SEEDED_BUG"]
    #endif
}
