/// The mail that the user wants to write.
public struct MailWish: Sendable {
    public enum Purpose: Hashable, Sendable {
        case new
        /// A message id, as typed.
        case reply(String)
        case replyAll(String)
        case forward(String)
    }

    public var purpose: Purpose
    /// The name of the sending account.
    public var account: String?
    public var from: String?
    public var to: [String] = []
    public var cc: [String] = []
    public var bcc: [String] = []
    public var subject: String?
    public var body: String?
    /// The paths of the files.
    public var attachments: [String] = []
    public var template: String?
    /// When to ask again for the answer, as a date phrase; nil: no wait.
    public var wait: String?
    /// Leaves out the text of the original, which then need not be fetched.
    public var leavesOutQuote = false

    public init(_ purpose: Purpose) { self.purpose = purpose }

    /// Whether the mail would have neither text nor recipients.
    public var isEmpty: Bool {
        purpose == .new && to.isEmpty && cc.isEmpty && bcc.isEmpty && (subject ?? "").isEmpty
            && attachments.isEmpty && template == nil && (body ?? "").allSatisfy(\.isWhitespace)
    }
}
