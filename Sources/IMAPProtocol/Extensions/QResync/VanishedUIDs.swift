/// VANISHED: messages that are gone, by UID. RFC 7162 §3.2.10.
///
///     expunged-resp = "VANISHED" [SP "(EARLIER)"] SP known-uids
public struct VanishedUIDs: Equatable, Sendable {
    public var uids: UIDSet
    /// Whether the messages were gone before this session; otherwise they have just gone.
    public var isEarlier: Bool

    public init(_ uids: UIDSet, isEarlier: Bool = false) {
        self.uids = uids
        self.isEarlier = isEarlier
    }
}

extension VanishedUIDs {
    /// `VANISHED (EARLIER) 41,43:116`. RFC 7162 §7 (`expunged-resp`).
    static func read(_ cursor: inout Cursor) throws(ParseFailure) -> VanishedUIDs {
        var earlier = false
        if cursor.take(.openParenthesis) {
            guard cursor.word() == "EARLIER" else { throw cursor.failure(.expected("EARLIER")) }
            try cursor.expect(.closeParenthesis)
            earlier = true
            cursor.skipSpaces()
        }
        return VanishedUIDs(UIDSet(ranges: try cursor.uidRanges()), isEarlier: earlier)
    }
}
