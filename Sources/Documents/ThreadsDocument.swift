import Models
public import Pipeline

/// `opus.threads/1`
public struct ThreadsDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var thread: String
        var account: String
        /// The message whose id and row commands use: the newest one in the inbox, or otherwise the newest
        /// one.
        var id: String
        var subject: String
        var latest: String
        /// Ids, oldest first.
        var messages: [String]
        var unread: Int
        var flagged: Bool
        var participants: [Participant]
        var snippet: String
        var attachments: Int
        var tasks: [String]
        var waiting: Bool
        var mailboxes: [String]

        init(_ line: ThreadLine, zone: ZoneClock) {
            thread = line.thread.rawValue
            account = line.account.rawValue
            id = line.message.rawValue
            subject = line.subject
            latest = zone.rfc3339(line.latest)
            messages = line.messages.map(\.rawValue)
            unread = line.unread
            flagged = line.isFlagged
            participants = line.participants.map(Participant.init)
            snippet = line.snippet
            attachments = line.attachments
            tasks = line.tasks.map(\.rawValue)
            waiting = line.isWaiting
            mailboxes = line.mailboxes
        }
    }

    struct Participant: Encodable, Sendable {
        var name: String?
        var address: String
        var me: Bool

        init(_ participant: ThreadLine.Participant) {
            name = participant.address.displayName.isEmpty ? nil : participant.address.displayName
            address = participant.address.addrSpec
            me = participant.isUser
        }
    }

    var schema = "opus.threads/1"
    var items: [Item]
    /// The total number of conversations.
    var count: Int
    /// Reasons in the query for an empty result.
    var warnings: [String]?

    public init(_ listing: ThreadListing, zone: ZoneClock, warnings: [String] = []) {
        items = listing.lines.map { Item($0, zone: zone) }
        count = listing.count
        self.warnings = warnings.isEmpty ? nil : warnings
    }
}
