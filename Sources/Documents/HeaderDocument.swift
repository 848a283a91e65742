public import Inspection

/// `opus.header/1`: how opus reads one header field.
public struct HeaderDocument: ReportDocument {
    public let schema = "opus.header/1"
    public let report: HeaderInspection

    public init(_ report: HeaderInspection) { self.report = report }
}
