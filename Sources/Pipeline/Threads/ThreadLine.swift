import MailStore
public import Models
import SyncEngine

/// One conversation in a list.
public struct ThreadLine: Sendable {
    public struct Participant: Hashable, Sendable {
        public var address: EmailAddress
        /// Whether the participant is the user.
        public var isUser: Bool
    }

    public var thread: ThreadID
    public var account: AccountID
    /// Of its first message.
    public var subject: String
    /// When its newest message was sent. Mail in the trash and in Junk counts only in a conversation that is all there.
    public var latest: Timestamp
    /// In the order of their first messages.
    public var participants: [Participant]
    /// The beginning of the text in the newest message, on one line.
    public var snippet: String
    /// Oldest first.
    public var messages: [EmailID]
    public var unread: Int
    public var isFlagged: Bool
    /// The number of attached files in all messages.
    public var attachments: Int
    /// Its open tasks.
    public var tasks: [TodoID]
    /// Whether one of the tasks waits for an answer.
    public var isWaiting: Bool
    /// Display names of the mailboxes with its messages.
    public var mailboxes: [String]
    /// The message that commands use for the conversation: the newest one in the inbox, or otherwise the
    /// newest one.
    public var message: EmailID
    /// The shortest unique prefix of that message's id.
    public var shortID: String

    /// Further participants are not listed.
    static let mostParticipants = 100

    /// nil: the thread contains only lists of deferred messages by opus, which are not mail. `own`: the
    /// user's addresses.
    init?(_ stored: StoredThread, own: Set<String>) {
        let messages = stored.messages.filter {
            !($0.roles.contains(.deferred) && DeferredListMail.isToken($0.messageID))
        }
        // Anyone can name a message of the conversation: what was put aside does not date it, or speak for it.
        let kept = messages.filter { !$0.isPutAside }
        let told = kept.isEmpty ? messages : kept
        guard let newest = told.last,
            let root = told.first(where: { $0.marks.contains(.plain) }) ?? told.first
        else { return nil }
        thread = stored.thread
        account = stored.account
        subject = root.subject
        latest = newest.date
        var seen: Set<String> = []
        participants = told.flatMap(\.from).filter { seen.insert($0.comparable).inserted }
            .prefix(Self.mostParticipants)
            .map { Participant(address: $0, isUser: own.contains($0.comparable)) }
        snippet = newest.snippet ?? SubjectFacts.snippet(newest.text ?? "")
        self.messages = messages.map(\.id)
        unread = messages.count(where: \.isUnread)
        isFlagged = messages.contains(where: \.isFlagged)
        attachments = messages.reduce(0) { $0 + $1.attachments.count { !$0.isInline } }
        let todos = messages.flatMap(\.todos)
        tasks = Set(todos.map(\.key)).sorted()
        isWaiting = todos.contains(where: \.value)
        var names: Set<String> = []
        mailboxes = messages.flatMap(\.mailboxes).filter { names.insert($0).inserted }
        message = (messages.last(where: \.isInInbox) ?? newest).id
        shortID = message.rawValue
    }
}

extension StoredThread.Message {
    /// Whether it is only in the trash or in Junk.
    fileprivate var isPutAside: Bool {
        !roles.isEmpty && mailboxes.count == roles.count && roles.isSubset(of: [.trash, .junk])
    }
}

/// Conversations, newest first.
public struct ThreadListing: Sendable {
    public var lines: [ThreadLine]
    /// The total number of conversations.
    public var count: Int
}
