/// VANISHED: messages that are gone, by UID. RFC 7162 §3.2.10.
public struct VanishedUIDs: Equatable, Sendable {
    public var uids: UIDSet
    /// Gone before this session asked, as against gone just now.
    public var isEarlier: Bool

    public init(_ uids: UIDSet, isEarlier: Bool = false) {
        self.uids = uids
        self.isEarlier = isEarlier
    }
}

extension Cursor {
    /// `VANISHED (EARLIER) 41,43:116`. RFC 7162 §7 (`expunged-resp`).
    mutating func vanishedUIDs() throws(ParseFailure) -> VanishedUIDs {
        var earlier = false
        if take(.openParenthesis) {
            guard word() == "EARLIER" else { throw failure(.expected("EARLIER")) }
            try expect(.closeParenthesis)
            earlier = true
            skipSpaces()
        }
        return VanishedUIDs(UIDSet(ranges: try uidRanges()), isEarlier: earlier)
    }
}
