/// A header field as it came.
public struct FieldBytes: Sendable {
    public let name: String
    /// From its name to the end of its body, without the line end.
    public let range: Range<Int>
    public let body: ArraySlice<UInt8>
}
