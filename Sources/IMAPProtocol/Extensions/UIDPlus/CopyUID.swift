/// The proof of a copy or move: the old and the new UID of each message, in the server's order. RFC 4315 §3, RFC 6851
/// §4.3.
///
/// Never sort either list: Gmail answers `2273,2275,2274,2272`, and only the order shows which UIDs belong together.
///
///     resp-code-copy = "COPYUID" SP nz-number SP uid-set SP uid-set
public struct CopyUID: Equatable, Sendable {
    /// The UIDVALIDITY of the destination.
    public var uidValidity: UInt32
    public var sources: [UInt32]
    public var destinations: [UInt32]

    public init(uidValidity: UInt32, sources: [UInt32], destinations: [UInt32]) {
        self.uidValidity = uidValidity
        self.sources = sources
        self.destinations = destinations
    }

    /// The new UID of a message; nil: the server did not report it.
    public func destination(of uid: UInt32) -> UInt32? {
        for (source, destination) in zip(sources, destinations) where source == uid { return destination }
        return nil
    }
}

extension CopyUID {
    /// `COPYUID 38505 304,319:320 3956:3958`, up to its bracket; nil: the lists do not form pairs. RFC 4315 §4
    /// (`resp-code-copy`).
    static func read(_ cursor: inout Cursor) throws(ParseFailure) -> CopyUID? {
        let uidValidity = try cursor.number()
        cursor.skipSpaces()
        let sources = try uidList(&cursor)
        cursor.skipSpaces()
        let destinations = try uidList(&cursor)
        cursor.skipSpaces()
        guard cursor.peek == .closeBracket else { return nil }
        guard sources.count == destinations.count else {
            cursor.note(.unequalCopyUID)
            return nil
        }
        return CopyUID(uidValidity: uidValidity, sources: sources, destinations: destinations)
    }

    /// The UIDs of a set as single numbers, in the server's order.
    private static func uidList(_ cursor: inout Cursor) throws(ParseFailure) -> [UInt32] {
        if cursor.rest.prefix(while: { $0 != .closeBracket && $0 != .space }).contains(.star) {
            cursor.note(.dynamicCopyUID)
            throw cursor.failure(.expected("number"))
        }
        let ranges = try cursor.uidRanges()
        let count = ranges.reduce(0) { $0 + $1.count }
        guard count <= cursor.limits.items else {
            throw cursor.failure(.tooManyItems(actual: count, maximum: cursor.limits.items))
        }
        return ranges.flatMap { $0 }
    }
}
