import Models
public import Pipeline

/// `opus.show/1`
public struct ShowDocument: Encodable, Sendable {
    var schema = "opus.show/1"
    var message: MessagesDocument.Item
    var mailboxes: [String]
    var headers: [HeaderField]
    var text: String
    var truncated: Bool

    public init(_ view: MessageView, zone: ZoneClock) {
        message = MessagesDocument.Item(view.line, zone: zone)
        mailboxes = view.mailboxes
        headers = view.headers
        text = view.text
        truncated = view.isTruncated
    }
}
