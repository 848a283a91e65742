/// The proof of a copy or move: which UID became which, in the server's order.
///
/// Never sort either list: Gmail answers `2273,2275,2274,2272`, and the pairs are what counts.
/// RFC 4315 §3, RFC 6851 §4.3.
public struct CopyUID: Equatable, Sendable {
    /// Of the destination.
    public var uidValidity: UInt32
    public var sources: [UInt32]
    public var destinations: [UInt32]

    public init(uidValidity: UInt32, sources: [UInt32], destinations: [UInt32]) {
        self.uidValidity = uidValidity
        self.sources = sources
        self.destinations = destinations
    }

    /// The new UID of a message; nil when the server did not prove it.
    public func destination(of uid: UInt32) -> UInt32? {
        for (source, destination) in zip(sources, destinations) where source == uid { return destination }
        return nil
    }
}

extension Cursor {
    /// `COPYUID 38505 304,319:320 3956:3958`, up to its bracket; nil where the lists cannot be pairs. RFC 4315 §4
    /// (`resp-code-copy`).
    mutating func copyUID() throws(ParseFailure) -> CopyUID? {
        let uidValidity = try number()
        skipSpaces()
        let sources = try uidList()
        skipSpaces()
        let destinations = try uidList()
        skipSpaces()
        guard peek == .closeBracket else { return nil }
        guard sources.count == destinations.count else {
            note(.unequalCopyUID)
            return nil
        }
        return CopyUID(uidValidity: uidValidity, sources: sources, destinations: destinations)
    }

    /// The UIDs of a set one by one, in the server's order.
    private mutating func uidList() throws(ParseFailure) -> [UInt32] {
        if rest.prefix(while: { $0 != .closeBracket && $0 != .space }).contains(.star) {
            note(.dynamicCopyUID)
            throw failure(.expected("number"))
        }
        let ranges = try uidRanges()
        let count = ranges.reduce(0) { $0 + $1.count }
        guard count <= limits.items else {
            throw failure(.tooManyItems(actual: count, maximum: limits.items))
        }
        return ranges.flatMap { $0 }
    }
}
