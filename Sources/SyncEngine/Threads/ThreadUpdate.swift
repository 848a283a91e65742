import MIMEParser
public import MailStore
public import Models
import Threading

/// Updates all derived data about threads after a change: the subjects that join them, the thread in which
/// each message is shown, conversations, and the list of threads.
public struct ThreadUpdate: Sendable {
    private static let chunk = 500

    let store: Store
    let account: AccountID
    let settings: ThreadSettings

    public init(store: Store, account: AccountID, settings: ThreadSettings) {
        self.store = store
        self.account = account
        self.settings = settings
    }

    public func run() throws {
        try readSubjects()
        try store.threads.noteDueSubjects(of: account, settings)
        try compareSubjects()
        try ShownUpdate(store: store, account: account).run()
        try ConversationUpdate(store: store, account: account).run()
        while try store.threads.refreshRows(of: account, limit: Self.chunk) { try Task.checkCancellation() }
    }

    /// Reads the subjects of messages that an older version stored.
    private func readSubjects() throws {
        while true {
            let messages = try store.threads.unreadSubjects(of: account, limit: Self.chunk)
            guard !messages.isEmpty else { return }
            try Task.checkCancellation()
            let facts = messages.map { message in
                let envelope = HeaderBlock.envelope(of: message.headerBlock)
                return (
                    message.id,
                    SubjectFacts(envelope, headerBlock: message.headerBlock, text: message.text)
                )
            }
            try store.threads.saveSubjects(Dictionary(facts) { $1 }, of: account)
        }
    }

    private func compareSubjects() throws {
        while true {
            let due = try store.threads.dueSubjects(of: account, limit: Self.chunk)
            guard !due.isEmpty else { return }
            try Task.checkCancellation()
            var found: [Int64: [ThreadID: ThreadID]] = [:]
            for key in due { found[key] = try groups(of: key) }
            try store.threads.saveSubjectGroups(found, of: account)
        }
    }

    private func groups(of key: Int64) throws -> [ThreadID: ThreadID] {
        guard settings.subjects != .off else { return [:] }
        let threads = try store.threads.threads(withSubject: key, of: account)
        return SubjectJoins.groups(
            threads.map { thread in
                ThreadOfSubject(
                    thread: thread.thread, isReply: thread.marks.contains(.reply),
                    isPlain: thread.marks.contains(.plain), dates: thread.dates)
            }, joinsAll: settings.subjects == .strict, window: Int64(settings.days) * 86_400)
    }
}
