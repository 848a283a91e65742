/// The one SQLite file of a workspace, so that one transaction can span all that it holds: messages and their threads, sync
/// state, the search index, task links, the action journal and what rules did.
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
    /// Drafts that opus wrote.
    public let drafts: DraftStore
    /// Task files and their links to messages.
    public let todos: TodoStore
    /// Messages that wait, and until when.
    public let deferrals: DeferralStore
    /// Command mailboxes, and where ordered messages came from.
    public let orders: OrderStore
    /// What the screener knows of senders.
    public let senders: SenderStore
    /// The history and the memory of rules.
    public let rules: RuleStore
    /// The sync state of mailboxes.
    public let sync: SyncStore
    /// Findings about an account's server.
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

    /// Opens the store, or makes an empty one, readable by its owner only. The folder must exist.
    public static func open(path: String, _ access: StoreAccess = .writing) throws(MailStoreError) -> Store {
        Store(file: try StoreFile.open(path: path, access))
    }

    /// Ends every connection. Calls after it fail.
    public func close() { file.close() }
}
