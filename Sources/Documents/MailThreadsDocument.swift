public import Inspection

/// `opus.mail-threads/1`: the threads of a mailbox as trees.
public struct MailThreadsDocument: ReportDocument {
    public let schema = "opus.mail-threads/1"
    public let report: ThreadsInspection

    public init(_ report: ThreadsInspection) { self.report = report }
}
