public import Inspection

/// `opus.message/1`: the content of a message and how opus reads it.
public struct MessageDocument: ReportDocument {
    public let schema = "opus.message/1"
    public let report: MessageInspection

    public init(_ report: MessageInspection) { self.report = report }
}
