public import Models

/// The settings of `opus.yaml`, checked, with every path absolute.
public struct Workspace: Hashable, Sendable {
    /// The folder of `opus.yaml`.
    public var root: String
    public var configFile: String
    /// The user's name, for mails that we compose; may be empty.
    public var name: String
    /// The user's own addresses: those of `me` and of the accounts.
    public var addresses: [EmailAddress]
    /// IANA name.
    public var timeZone: String
    /// Whether `03/04` is the third of April.
    public var dayFirst: Bool
    public var workday: Workday
    public var rulesFolder: String
    public var tasksFolder: String
    /// Where rules save files of mails.
    public var attachmentsFolder: String
    /// How long messages that were opened whole are kept.
    public var originals = OriginalSettings()
    /// Whether and how far the text of attached files is read.
    public var fileText = FileTextSettings()
    /// The action for mail whose task was completed.
    public var whenDone = FinishedMail.archive
    public var whenCancelled = FinishedMail.archive
    /// How often a task may be nudged.
    public var mostNudges = Workspace.usualNudges
    /// nil: no program syncs the task folder.
    public var taskSync: TaskSyncSettings?
    /// Mail, journal and lock; other users cannot read it.
    public var storeFolder: String
    /// Whether a rule may send mail by itself.
    public var allowSend: Bool
    public var brakes: Brakes
    public var send = SendSettings()
    /// Until when mail waits that another program put into the mailbox for deferred mail: words of a date; nil: someday.
    public var deferDefault: String?
    /// nil: no mailbox gives orders.
    public var commandMailboxes: CommandMailboxes?
    /// Those to whom mail is handed on, by the names that the person gives them.
    public var people: [Person] = []
    /// Of mail that is older than so many days when rules first ran, they make no tasks and no drafts; nil: of all mail.
    public var firstRunDays: Int?
    /// nil: mail of first-time senders stays in the inbox.
    public var screener: ScreenerSettings?
    public var watch = WatchSettings()
    /// Which threads of one subject are shown as one.
    public var threads = ThreadSettings()
    public var bundles: [BundleSettings] = []
    /// Saved searches: queries by their names.
    public var searches: [String: String] = [:]
    public var accounts: [Account]

    static let usualNudges = 2

    /// When the user works.
    public struct Workday: Hashable, Sendable {
        /// 1 is Monday, 7 is Sunday (ISO 8601).
        public var days: Set<Int>
        /// Seconds of the day.
        public var start: Int
        public var end: Int

        public init(days: Set<Int> = [1, 2, 3, 4, 5], start: Int = 9 * 3_600, end: Int = 18 * 3_600) {
            self.days = days
            self.start = start
            self.end = end
        }
    }

    /// From when on a plan looks like a mistake.
    public struct Brakes: Hashable, Sendable {
        /// A larger share of the inbox than this, in per cent …
        public var share: Int
        /// … and more messages than this.
        public var count: Int
        /// Mails that one plan sends.
        public var sends: Int
        /// Messages that one plan moves to trash and junk; nil: as many as `count`.
        public var trash: Int?

        public init(share: Int = 50, count: Int = 50, sends: Int = 20, trash: Int? = nil) {
            self.share = share
            self.count = count
            self.sends = sends
            self.trash = trash
        }
    }

    /// A file of the workspace, such as an address book, as text; nil: it cannot be read.
    public static func text(of path: String) -> String? {
        if case .text(let text) = Disk.read(path, limit: 8 << 20) { return text }
        return nil
    }

    public func account(_ id: AccountID) -> Account? { accounts.first { $0.id == id } }
}
