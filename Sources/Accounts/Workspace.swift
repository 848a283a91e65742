public import Models

/// The checked settings of `opus.yaml`, with absolute paths.
public struct Workspace: Hashable, Sendable {
    /// The folder of `opus.yaml`.
    public var root: String
    public var configFile: String
    /// The text of `opus.yaml`; empty: the settings were not read from a file.
    public var text = ""
    /// The user's name, for new mails; may be empty.
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
    /// The folder for files that rules save.
    public var attachmentsFolder: String
    /// How long opened complete messages are cached.
    public var originals = OriginalSettings()
    /// Whether the text of attached files is extracted, and up to which size.
    public var fileText = FileTextSettings()
    /// The action for mail whose task was completed.
    public var whenDone = FinishedMail.archive
    public var whenCancelled = FinishedMail.archive
    /// The maximum number of reminders for a task.
    public var mostNudges = Workspace.usualNudges
    /// nil: no sync program is configured.
    public var taskSync: TaskSyncSettings?
    /// The folder of the mail store, the journal and the lock; other users cannot read it.
    public var storeFolder: String
    /// Whether rules may send mail automatically.
    public var allowSend: Bool
    public var brakes: Brakes
    public var send = SendSettings()
    /// The deferral date for mail that another program moved to the deferred mailbox, as a date phrase; nil:
    /// someday.
    public var deferDefault: String?
    /// nil: there are no command mailboxes.
    public var commandMailboxes: CommandMailboxes?
    /// People to whom mail is delegated, with the names that the user gave them.
    public var people: [Person] = []
    /// Rules make no tasks and no drafts from mail that was older than this many days when rules were first
    /// applied; nil: no limit.
    public var firstRunDays: Int?
    /// nil: mail of first-time senders stays in the inbox.
    public var screener: ScreenerSettings?
    public var watch = WatchSettings()
    /// Which threads with the same subject are shown as one.
    public var threads = ThreadSettings()
    public var bundles: [BundleSettings] = []
    /// Saved searches: queries by name.
    public var searches: [String: String] = [:]
    public var accounts: [Account]

    static let usualNudges = 2

    /// When the user works.
    public struct Workday: Hashable, Sendable {
        /// 1 is Monday, 7 is Sunday (ISO 8601).
        public var days: Set<Int>
        /// In seconds of the day.
        public var start: Int
        public var end: Int

        public init(days: Set<Int> = [1, 2, 3, 4, 5], start: Int = 9 * 3_600, end: Int = 18 * 3_600) {
            self.days = days
            self.start = start
            self.end = end
        }
    }

    /// The limits beyond which a plan is probably a mistake.
    public struct Brakes: Hashable, Sendable {
        /// The maximum share of a mailbox that a plan may move, in per cent.
        public var share: Int
        /// Plans that move at most this many messages are not stopped, whatever the share.
        public var count: Int
        /// The maximum number of mails that one plan may send.
        public var sends: Int
        /// The maximum number of messages that one plan may move to trash and junk; nil: the same as `count`.
        public var trash: Int?

        public init(share: Int = 50, count: Int = 50, sends: Int = 20, trash: Int? = nil) {
            self.share = share
            self.count = count
            self.sends = sends
            self.trash = trash
        }
    }

    /// The text of a file in the workspace, such as an address book; nil: it cannot be read.
    public static func text(of path: String) -> String? {
        if case .text(let text) = Disk.read(path, limit: 8 << 20) { return text }
        return nil
    }

    public func account(_ id: AccountID) -> Account? { accounts.first { $0.id == id } }
}
