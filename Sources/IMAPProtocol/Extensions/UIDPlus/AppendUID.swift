/// The proof of an APPEND. RFC 4315 §3.
///
///     resp-code-apnd = "APPENDUID" SP nz-number SP append-uid
public struct AppendUID: Equatable, Sendable {
    public var uidValidity: UInt32
    public var uid: UInt32

    public init(uidValidity: UInt32, uid: UInt32) {
        self.uidValidity = uidValidity
        self.uid = uid
    }
}

extension AppendUID {
    /// `APPENDUID 38505 3955`. RFC 4315 §4 (`resp-code-apnd`).
    static func read(_ cursor: inout Cursor) throws(ParseFailure) -> AppendUID {
        let uidValidity = try cursor.number()
        cursor.skipSpaces()
        return AppendUID(uidValidity: uidValidity, uid: try cursor.number())
    }
}
