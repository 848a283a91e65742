import Models
public import Pipeline

/// `opus.hook/1`: the input of the program of `watch: { hook: … }`.
public struct HookDocument: Encodable, Sendable {
    var schema = "opus.hook/1"
    var event: String
    var account: String?
    var time: String
    var count: Int
    var messages: [String]
    /// Only with `watch: { text: true }`; contains text of senders.
    var text: [String]?

    public init(_ news: WatchNews, time: String) {
        event = news.name
        account = news.account?.rawValue
        self.time = time
        count = news.count
        messages = news.messages
        text = news.text.isEmpty ? nil : news.text
    }
}
