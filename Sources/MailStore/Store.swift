/// The one SQLite file of a workspace. One transaction can span everything in it: messages and their threads,
/// sync state, the search index, task links, the action journal and the history of rules.
///
/// Each part is a small value over the same open file: ``journal``, ``messages``, ``sync`` and the others.
public final class Store: Sendable {
    let file: StoreFile

    /// Planned steps and their progress.
    public let journal: JournalStore
    /// Runs, their steps and their results.
    public let runs: RunStore
    /// Messages: their places, contents and facts.
    public let messages: MessageStore
    /// The full-text index.
    public let index: SearchIndex
    /// The text of attached files.
    public let fileTexts: FileTextStore
    /// Threads and conversations, copies, and the counts around a message.
    public let threads: ThreadStore
    /// Drafts: mails that are not sent yet.
    public let drafts: DraftStore
    /// Task files and their links to messages.
    public let todos: TodoStore
    /// Deferred messages, and when they come back.
    public let deferrals: DeferralStore
    /// Command mailboxes, and the origins of the messages in them.
    public let orders: OrderStore
    /// Senders, for the screener.
    public let senders: SenderStore
    /// The history of rules and their remembered matches.
    public let rules: RuleStore
    /// The sync state of mailboxes.
    public let sync: SyncStore
    /// What opus learned about the server of an account.
    public let accounts: AccountStore

    private init(file: StoreFile) {
        self.file = file
        journal = JournalStore(file: file)
        runs = RunStore(file: file)
        messages = MessageStore(file: file)
        index = SearchIndex(file: file)
        fileTexts = FileTextStore(file: file)
        threads = ThreadStore(file: file)
        drafts = DraftStore(file: file)
        todos = TodoStore(file: file)
        deferrals = DeferralStore(file: file)
        orders = OrderStore(file: file)
        senders = SenderStore(file: file)
        rules = RuleStore(file: file)
        sync = SyncStore(file: file)
        accounts = AccountStore(file: file)
    }

    /// Opens the store, or creates an empty one that only its owner can read. The folder must exist.
    public static func open(path: String, _ access: StoreAccess = .writing) throws(MailStoreError) -> Store {
        Store(file: try StoreFile.open(path: path, access))
    }

    /// Whether other processes that open the store get this file: it was neither deleted nor replaced.
    public var isInPlace: Bool { file.isInPlace }

    /// Closes every connection. Later calls fail.
    public func close() { file.close() }
}
