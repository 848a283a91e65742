/// The proof of an APPEND. RFC 4315 §3.
public struct AppendUID: Equatable, Sendable {
    public var uidValidity: UInt32
    public var uid: UInt32

    public init(uidValidity: UInt32, uid: UInt32) {
        self.uidValidity = uidValidity
        self.uid = uid
    }
}

extension Cursor {
    /// `APPENDUID 38505 3955`. RFC 4315 §4 (`resp-code-apnd`).
    mutating func appendUID() throws(ParseFailure) -> AppendUID {
        let uidValidity = try number()
        skipSpaces()
        return AppendUID(uidValidity: uidValidity, uid: try number())
    }
}
