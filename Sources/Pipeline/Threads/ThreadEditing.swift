import MailStore
import Models
import SyncEngine

/// Splits and joins threads for the user, through the journal. No message is changed or moved.
public struct ThreadEditing: Sendable {
    let accounts: AccountAccess
    let store: Store
    let lookup: MessageLookup
    let runner: JournalRunner

    /// Makes a message and all its replies a separate thread.
    public func split(_ typed: String) async throws -> RunReport {
        let message = try lookup.message(typed)
        let shown = try members(shownWith: message)
        guard
            let tree = try ThreadMessages(of: message.thread, account: message.account, store: store)
        else {
            throw Problem(
                "long-thread", exit: .badData,
                message: "the thread has more than \(ThreadMessages.most) messages and cannot be split")
        }
        let edits = try store.threads.edits()
        let splits = Set(edits.compactMap(\.head)).union([message.id])
        let part = Set(tree.heads(splits: splits).filter { $0.value == message.id }.keys)
        let rest = shown.filter { !part.contains($0) }
        guard !rest.isEmpty else {
            throw Problem(
                "nothing-to-split", exit: .usage,
                message:
                    "\(try shortID(message.id)) is the first message of its thread: there is nothing to split it from",
                next: ["opus thread \(try shortID(message.id)) --tree"])
        }
        var change = ThreadChange()
        if !edits.contains(.split(message.id)) { change.added.append(.split(message.id)) }
        for case .join(let one, let other) in edits where part.contains(one) != part.contains(other) {
            change.removed.append(.join(one, other))
            // A thread that was joined with a message of the part stays with the rest.
            let outside = part.contains(one) ? other : one
            if let anchor = rest.first(where: { $0 != outside && !part.contains($0) }),
                shown.contains(outside)
            {
                change.added.append(.join(min(anchor, outside), max(anchor, outside)))
            }
        }
        return try await carryOut(change, message, verb: "thread split")
    }

    /// Joins the threads of the messages; nil: they already are one thread.
    public func join(_ typed: [String]) async throws -> RunReport? {
        let messages = try typed.map { try lookup.message($0) }
        guard let first = messages.first, messages.count > 1 else {
            throw Problem(
                "one-thread", exit: .usage, message: "joining takes at least two messages",
                next: ["opus thread join ID ID"])
        }
        if let other = messages.first(where: { $0.account != first.account }) {
            throw Problem(
                "two-accounts", exit: .usage,
                message: "\(try shortID(first.id)) and \(try shortID(other.id)) are in different accounts",
                next: ["opus thread join ID ID, with messages of one account"])
        }
        let shown = try store.threads.shownThreads(of: messages.map(\.id))
        var names = [shown[first.id]]
        var change = ThreadChange()
        for message in messages.dropFirst() where !names.contains(shown[message.id]) {
            names.append(shown[message.id])
            change.added.append(.join(min(first.id, message.id), max(first.id, message.id)))
        }
        guard !change.isEmpty else { return nil }
        return try await carryOut(change, first, verb: "thread join")
    }

    private func members(shownWith message: StoredMessage) throws -> [EmailID] {
        let shown = try store.threads.shownThreads(of: [message.id])[message.id] ?? message.thread
        return try store.threads.messages(shownAs: shown)
    }

    private func carryOut(
        _ change: ThreadChange, _ message: StoredMessage, verb: String
    ) async throws -> RunReport {
        let account = try accounts.require(message.account)
        let step = Step.byHand(
            verb, "\(message.id) \(try CommandToken.next(in: store))", account, message: message.id,
            .editThreads(change))
        return try await runner.carryOut(QueuedWork(steps: [step]), account: account, command: verb)
    }

    private func shortID(_ message: EmailID) throws -> String {
        try lookup.shortIDs([message])[message] ?? message.rawValue
    }
}

extension ThreadEdit {
    /// The first message of the part that was split off.
    fileprivate var head: EmailID? {
        if case .split(let message) = self { return message }
        return nil
    }
}

extension Step {
    /// Whether the step is an edit of threads, which affects only the store.
    var isOfThreads: Bool {
        if case .editThreads = kind { return true }
        return false
    }
}
