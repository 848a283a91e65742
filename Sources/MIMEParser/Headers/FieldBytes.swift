/// A header field in its original bytes.
public struct FieldBytes: Sendable {
    public let name: String
    /// From the name to the end of the body, without the line end.
    public let range: Range<Int>
    public let body: ArraySlice<UInt8>
}
