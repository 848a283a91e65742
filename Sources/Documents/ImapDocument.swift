public import Inspection

/// `opus.imap/1`: one response of an IMAP server; a transcript has one for each response.
public struct ImapDocument: ReportDocument {
    public let schema = "opus.imap/1"
    public let report: ResponseInspection

    public init(_ report: ResponseInspection) { self.report = report }
}
