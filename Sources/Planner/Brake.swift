public import Models

/// Stops a plan that is probably a mistake: a rule that suddenly moves most of a mailbox, fills the trash, or
/// sends a mass of mail.
///
/// It only reports. The caller asks the user for the plan's id, or refuses the plan.
public struct Brake: Hashable, Sendable {
    /// The maximum share of a mailbox that a plan may move, in per cent.
    public var maximumShare: Int
    /// Plans that move at most this many messages are not stopped, whatever the share.
    public var minimumCount: Int
    /// The maximum number of mails that a plan may send.
    public var maximumSends: Int
    /// The maximum number of messages that a plan may move to trash and junk, whatever the share.
    public var maximumTrash: Int

    /// `maximumTrash`: nil means the same number as `minimumCount`.
    public init(
        maximumShare: Int = 50, minimumCount: Int = 50, maximumSends: Int = 20, maximumTrash: Int? = nil
    ) {
        self.maximumShare = maximumShare
        self.minimumCount = minimumCount
        self.maximumSends = maximumSends
        self.maximumTrash = maximumTrash ?? minimumCount
    }

    public struct Reason: Hashable, Sendable {
        /// Messages that would leave their mailbox.
        public var moved: Int
        /// The number of messages in these mailboxes.
        public var total: Int
        public var text: String
        /// The rule that causes most of the moves, and their number.
        public var most: String
    }

    /// nil if the plan may be applied. `totals` is the number of messages in each mailbox; for a mailbox
    /// without an entry, the messages that the plan read there are counted.
    public func check(_ plan: Plan, totals: [MailboxName: Int] = [:]) -> Reason? {
        let count = PlanCount(plan)
        let sends = count.senders.values.reduce(0, +)
        if sends > maximumSends {
            return Reason(
                moved: count.moved.count, total: max(plan.items.count, count.moved.count),
                text: "the plan sends \(counted(sends, "mail")), more than \(maximumSends)",
                most: Self.most(count.senders))
        }
        if count.trashed > maximumTrash {
            return Reason(
                moved: count.trashed, total: max(plan.items.count, count.trashed),
                text:
                    "the plan moves \(counted(count.trashed, "message")) to trash and junk, more than \(maximumTrash)",
                most: Self.most(count.trashers))
        }
        return share(count, totals).map {
            Reason(
                moved: $0.moved, total: $0.total,
                text:
                    "the plan moves \($0.moved) of \(counted($0.total, "message")), more than \(maximumShare) % of \($0.of)",
                most: Self.most(count.movers))
        }
    }

    /// The first mailbox that loses too many messages, or all mailboxes together.
    private func share(
        _ count: PlanCount, _ totals: [MailboxName: Int]
    ) -> (moved: Int, total: Int, of: String)? {
        var sum = (moved: 0, total: 0)
        let boxes = count.bySource.sorted { ($1.value.moved, $0.key) < ($0.value.moved, $1.key) }
        for (name, box) in boxes {
            let total = max(totals[name] ?? box.seen, box.moved)
            sum = (sum.moved + box.moved, sum.total + total)
            guard isTooMuch(box.moved, of: total) else { continue }
            return (box.moved, total, name == .inbox ? "the inbox" : name.description)
        }
        return isTooMuch(sum.moved, of: sum.total) ? (sum.moved, sum.total, "these mailboxes") : nil
    }

    private func isTooMuch(_ moved: Int, of total: Int) -> Bool {
        moved > minimumCount && moved * 100 > total * maximumShare
    }

    /// A change by hand is limited only by its number of messages: the user chose the mailbox, but a list of
    /// ids may be a mistake.
    public func checkByHand(_ plan: Plan) -> Reason? {
        var touched: Set<MessageKey> = []
        for item in plan.items where !item.isUntouched {
            touched.insert(item.key)
            touched.formUnion(item.threadKeys.map(\.key))
        }
        guard touched.count > minimumCount else { return nil }
        return Reason(
            moved: touched.count, total: touched.count,
            text: "that is \(counted(touched.count, "message")), more than \(minimumCount)", most: "")
    }

    /// Moves because of edited task files are limited by their number, too: a program may have completed all
    /// tasks by mistake.
    public func checkFollow(_ actions: [FollowAction]) -> Reason? {
        let moved = Set(actions.flatMap { $0.placements.map(\.key) }).count
        guard moved > minimumCount else { return nil }
        let tasks = Set(actions.map(\.todo)).count
        return Reason(
            moved: moved, total: moved,
            text:
                "\(counted(tasks, "changed task")) would move \(counted(moved, "message")), more than \(minimumCount)",
            most: "")
    }

    private static func most(_ counts: [String: Int]) -> String {
        let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
        return most.map { "rule \($0.key): \($0.value)" } ?? ""
    }
}

/// The moves of a plan, by source and by rule.
private struct PlanCount {
    struct Source {
        var moved = 0
        /// Messages of this mailbox that the plan read.
        var seen = 0
    }

    private(set) var moved: Set<MessageKey> = []
    private(set) var bySource: [MailboxName: Source] = [:]
    private(set) var trashed = 0
    private(set) var movers: [String: Int] = [:]
    private(set) var trashers: [String: Int] = [:]
    private(set) var senders: [String: Int] = [:]

    init(_ plan: Plan) {
        for index in plan.items.indices {
            bySource[plan.items[index].key.mailbox, default: Source()].seen += 1
        }
        for item in plan.decided.lazy.map({ plan.items[$0] }) {
            let before = moved.count
            if plan.moves(item) {
                for key in [item.key] + item.threadKeys.map(\.key) where moved.insert(key).inserted {
                    bySource[key.mailbox, default: Source()].moved += 1
                }
            }
            let added = moved.count - before
            let discards = item.disposition == .trash || item.disposition == .junk
            if discards { trashed += added }
            for decision in item.decisions {
                if decision.action.isDisposition, decision.action != .keep {
                    movers[decision.rule, default: 0] += added
                    if discards { trashers[decision.rule, default: 0] += added }
                }
                if decision.action.sentTo != nil { senders[decision.rule, default: 0] += 1 }
            }
        }
    }
}
