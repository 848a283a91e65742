public import Inspection

/// `opus.html/1`: HTML as text and as safe HTML.
public struct HtmlDocument: ReportDocument {
    public let schema = "opus.html/1"
    public let report: HTMLInspection

    public init(_ report: HTMLInspection) { self.report = report }
}
