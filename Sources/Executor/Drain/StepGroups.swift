import Models

/// Marks that one command can set on several messages.
struct MarkGroup: Hashable {
    let mailbox: MailboxName
    let change: MarkChange
    /// If the server refused the labels so often that they are tried no more: what it said last.
    var refusal: String?
}

/// Groups of steps that change marks. A change that is the opposite of an earlier one of the same message, such as
/// `unread` after `read`, is in a later round than that: within a round, the order of the groups does not matter.
struct MarkRounds {
    private(set) var groups: [Groups<MarkGroup>] = []
    private var earlier: [MessageKey: [(change: MarkChange, round: Int)]] = [:]

    mutating func add(_ step: PlacedStep, to group: MarkGroup) {
        let opposites = earlier[step.key, default: []].filter { $0.change.isOpposite(of: group.change) }
        let round = opposites.map { $0.round + 1 }.max() ?? 0
        earlier[step.key, default: []].append((group.change, round))
        if round == groups.count { groups.append(Groups()) }
        groups[round].add(step, to: group)
    }
}

/// Moves that one command can make.
struct MoveGroup: Hashable {
    let mailbox: MailboxName
    let destination: Mailbox

    func key(of place: NewPlace, _ account: AccountID) -> MessageKey? {
        place.uidValidity.map {
            MessageKey(account: account, mailbox: destination.name, uidValidity: $0, uid: place.uid)
        }
    }
}

/// Steps grouped by key. Groups are in the order of their first step; the steps of a group are sorted by UID.
struct Groups<Key: Hashable> {
    private var order: [Key] = []
    private var members: [Key: [PlacedStep]] = [:]

    mutating func add(_ step: PlacedStep, to key: Key) {
        if members[key] == nil { order.append(key) }
        members[key, default: []].append(step)
    }

    /// Groups of at most `size` steps; smaller ones for steps that were tried several times.
    func chunks(of size: Int) -> [(Key, [PlacedStep])] {
        order.flatMap { key in
            var rest = (members[key] ?? []).sorted { $0.key.uid < $1.key.uid }[...]
            var chunks: [(Key, [PlacedStep])] = []
            while let first = rest.first {
                let limit = Backoff.groupSize(size, attempts: first.step.attempts)
                let same = rest.prefix { Backoff.groupSize(size, attempts: $0.step.attempts) == limit }
                chunks.append((key, Array(same.prefix(limit))))
                rest = rest.dropFirst(min(same.count, limit))
            }
            return chunks
        }
    }
}
