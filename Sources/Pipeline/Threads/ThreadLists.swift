import Accounts
import MailStore
public import Models
public import Rules
import SyncEngine

/// Lists conversations, and shows the reply tree of a thread. Changes nothing.
public struct ThreadLists: Sendable {
    let accounts: AccountAccess
    let store: Store
    let lookup: MessageLookup
    let messages: Messages

    /// The conversations with a matching message in a mailbox (the default is the inbox), newest first.
    public func list(
        account: String?, folder: String?, everywhere: Bool, matching query: Query?, limit: Int?
    ) throws -> ThreadListing {
        guard query == nil, folder == nil else {
            return try matching(
                query, account: account, folder: folder, everywhere: everywhere, limit: limit)
        }
        let ids = try accounts.ids(named: account)
        let whole = ids.count == accounts.workspace.accounts.count
        var stored: [StoredThread] = []
        var count = 0
        for id in whole ? [nil] : ids.map(Optional.some) {
            let found = try store.threads.list(everywhere ? .everything : .inbox, account: id, limit: limit)
            stored += found.threads.filter { accounts.workspace.account($0.account) != nil }
            count += found.count
        }
        return try listing(stored, count: count, limit: limit)
    }

    private func matching(
        _ query: Query?, account: String?, folder: String?, everywhere: Bool, limit: Int?
    ) throws -> ThreadListing {
        var stored: [StoredThread] = []
        var count = 0
        for id in try accounts.ids(named: account) {
            let facts = try messages.matches(
                try accounts.require(id), folder: folder, everywhere: everywhere, query: query)
            // Sorted by the newest matching message; the other messages are read only for the conversations
            // that are shown.
            let shown = try store.threads.shownThreads(of: facts.map(\.id))
            var seen: Set<ThreadID> = []
            let threads = facts.compactMap { shown[$0.id] }.filter { seen.insert($0).inserted }
            count += threads.count
            stored += try store.threads.stored(
                limit.map { Array(threads.prefix($0)) } ?? threads, account: id)
        }
        return try listing(stored, count: count, limit: limit)
    }

    private func listing(_ stored: [StoredThread], count: Int, limit: Int?) throws -> ThreadListing {
        let own = Set(accounts.workspace.addresses.map(\.comparable))
        var lines = stored.compactMap { ThreadLine($0, own: own) }
            .sorted { ($0.latest, $0.thread) > ($1.latest, $1.thread) }
        let left = count - stored.count
        let whole = lines.count
        if let limit { lines = Array(lines.prefix(limit)) }
        let short = try lookup.shortIDs(lines.map(\.message))
        for index in lines.indices {
            lines[index].shortID = short[lines[index].message] ?? lines[index].shortID
        }
        return ThreadListing(lines: lines, count: whole + left)
    }

    /// Remembers the rows of a list that the user sees.
    public func rememberRows(_ lines: [ThreadLine]) {
        try? lookup.rows.save(lines.map(\.message.rawValue), .messages)
    }

    // MARK: One thread

    /// The reply tree of a message's thread, built by the RFC 5256 REFERENCES algorithm.
    public func tree(of typed: String) throws -> [ThreadNode] {
        let detail = try lookup.message(typed)
        let shown = try store.threads.shownThreads(of: [detail.id])[detail.id] ?? detail.thread
        let ids = try store.threads.messages(shownAs: shown)
        guard ids.count <= ThreadMessages.most else {
            throw Problem(
                "long-thread", exit: .badData,
                message:
                    "the thread has \(ids.count) messages; at most \(ThreadMessages.most) are shown as a tree",
                next: ["opus thread \(typed)"])
        }
        let messages = try ids.compactMap { try store.threads.header(of: $0) }
        return ThreadMessages(messages).nodes.map(ThreadNode.init)
    }
}

/// A message of a thread, or a missing message that others reply to. In a list, each node follows its parent.
public struct ThreadNode: Sendable {
    /// nil: the message is missing.
    public var message: EmailID?
    /// The id of a missing message, if another message refers to it.
    public var messageID: MessageID?
    /// An index into the nodes; nil: the node is a root.
    public var parent: Int?
    public var depth: Int
    /// An earlier message has the same Message-ID.
    public var isDuplicate: Bool

    init(_ node: ThreadMessages.Node) {
        message = node.message
        messageID = node.messageID
        parent = node.parent
        depth = node.depth
        isDuplicate = node.isDuplicate
    }
}
