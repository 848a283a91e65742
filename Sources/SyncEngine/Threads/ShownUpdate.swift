import MailStore
import Models

/// Determines the thread in which each message is shown. opus starts with the reply threads, joins those with
/// the same subject, and then applies the user's edits.
struct ShownUpdate {
    private static let chunk = 500

    let store: Store
    let account: AccountID

    func run() throws {
        while true {
            let due = try store.threads.dueShown(of: account, limit: Self.chunk)
            guard !due.isEmpty else { return }
            try Task.checkCancellation()
            try store.threads.saveShown(try shown(Set(due)), of: account)
        }
    }

    private func shown(_ due: Set<ThreadID>) throws -> [ThreadID: ShownThread] {
        let edits = try EditedThreads(store: store, account: account)
        var due = due
        var groups = try store.threads.subjectGroups(of: Array(due), account: account)
        // Threads that are joined with one of these may now be shown under another name.
        let names = due.flatMap { edits.names(in: $0, group: groups[$0]) }
        let others = try edits.threads(joinedWith: Set(names)).subtracting(due)
        if !others.isEmpty {
            groups.merge(try store.threads.subjectGroups(of: Array(others), account: account)) { $1 }
            due.formUnion(others)
        }
        var found: [ThreadID: ShownThread] = [:]
        for thread in due {
            let name = edits.final(groups[thread] ?? thread)
            let parts = (edits.heads[thread] ?? [:]).mapValues {
                edits.final(ThreadMessages.name(ofPart: $0))
            }
            found[thread] = ShownThread(name: name, parts: parts)
        }
        return found
    }
}

/// The user's edits of the threads of an account.
private struct EditedThreads {
    let store: Store
    let account: AccountID
    /// For threads that were split: the first message of the part that each message belongs to.
    private(set) var heads: [ThreadID: [EmailID: EmailID]] = [:]
    /// The name under which each joined name is shown.
    private var joined: [ThreadID: ThreadID] = [:]

    init(store: Store, account: AccountID) throws {
        self.store = store
        self.account = account
        let edits = try store.threads.edits()
        guard !edits.isEmpty else { return }
        let threads = try store.threads.threads(of: edits.flatMap(\.messages), account: account)
        var splits: [ThreadID: Set<EmailID>] = [:]
        for case .split(let message) in edits {
            if let thread = threads[message] { splits[thread, default: []].insert(message) }
        }
        for (thread, splits) in splits {
            heads[thread] = try ThreadMessages(of: thread, account: account, store: store)?.heads(
                splits: splits)
        }
        let groups = try store.threads.subjectGroups(of: Array(Set(threads.values)), account: account)
        func name(_ message: EmailID) -> ThreadID? {
            guard let thread = threads[message] else { return nil }
            if let head = heads[thread]?[message] { return ThreadMessages.name(ofPart: head) }
            return groups[thread] ?? thread
        }
        var sets = NameSets()
        for case .join(let one, let other) in edits {
            if let one = name(one), let other = name(other) { sets.join(one, other) }
        }
        joined = sets.names
    }

    func final(_ name: ThreadID) -> ThreadID { joined[name] ?? name }

    /// The names of the parts of a thread before joins.
    func names(in thread: ThreadID, group: ThreadID?) -> [ThreadID] {
        [group ?? thread] + Set((heads[thread] ?? [:]).values).map(ThreadMessages.name(ofPart:))
    }

    /// All threads that have a part that is shown under one of these names.
    func threads(joinedWith names: Set<ThreadID>) throws -> Set<ThreadID> {
        let finals = Set(names.compactMap { joined[$0] })
        guard !finals.isEmpty else { return [] }
        let members = joined.filter { finals.contains($0.value) }.map(\.key)
        var found = Set(try store.threads.threads(inGroups: members, account: account))
        for (thread, heads) in heads
        where !Set(heads.values.map(ThreadMessages.name(ofPart:))).isDisjoint(with: members) {
            found.insert(thread)
        }
        // A name of a part is not the name of a thread, so adding it has no effect.
        found.formUnion(members)
        return found
    }
}

/// Sets of names that are shown as one thread; the smallest name of a set is used for it.
private struct NameSets {
    private var members: [ThreadID: [ThreadID]] = [:]
    private var roots: [ThreadID: ThreadID] = [:]

    mutating func join(_ a: ThreadID, _ b: ThreadID) {
        let (a, b) = (roots[a] ?? a, roots[b] ?? b)
        guard a != b else { return }
        let (root, other) = (min(a, b), max(a, b))
        let moved = members.removeValue(forKey: other) ?? [other]
        members[root, default: [root]] += moved
        for name in moved { roots[name] = root }
        roots[root] = root
    }

    var names: [ThreadID: ThreadID] { roots }
}
