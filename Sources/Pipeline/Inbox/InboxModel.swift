public import Models

/// The state of the session as a value: the remaining items, the focus, and the decisions.
///
/// Every change is a method; each one keeps the focus on an item as long as there is one. The model does not
/// depend on a terminal, a store or a clock.
public struct InboxModel: Hashable, Sendable {
    /// In the order of the list; their numbers do not change.
    public let items: [InboxItem]
    /// The numbers of undecided items, in order.
    public private(set) var left: [Int]
    /// The shown numbers: all, or the results of a search.
    public private(set) var rows: [Int]
    /// The row of the focus; 0 if there are no rows.
    public private(set) var focus = 0
    public private(set) var selected: Set<Int> = []
    /// Labels that were added in this session.
    public private(set) var added: [Int: [String]] = [:]
    /// The results of a search, by number; nil: no search.
    public private(set) var found: Set<Int>?
    private var done: [Done] = []
    /// The number of the next order. Numbers are not reused, so undo does not restore it.
    private var number = 1

    /// A decision that can be undone.
    private struct Done: Hashable, Sendable {
        var number: Int
        var verb: InboxVerb
        var items: [Int]
        var focused: Int
        var selected: Set<Int>
        var found: Set<Int>?
        /// The items for which a step failed when it was delivered, and those that had departed.
        var failed: Set<Int> = []
        /// The items with which nothing was done, because another program had moved or deleted their messages.
        var departed: Set<Int> = []

        /// What an undo brings back.
        var undoable: [Int] { items.filter { !departed.contains($0) } }
    }

    public init(items: [InboxItem]) {
        self.items = items
        left = Array(items.indices)
        rows = left
    }

    // MARK: State

    /// The number of the item with the focus.
    public var focused: Int? { rows.indices.contains(focus) ? rows[focus] : nil }
    public var item: InboxItem? { focused.map { items[$0] } }
    public var isEmpty: Bool { left.isEmpty }
    /// The number of decided items.
    public var decided: Int { items.count - left.count }
    public var canUndo: Bool { done.contains { !$0.undoable.isEmpty } }
    /// The items to which a verb applies.
    public var targets: [Int] { selected.isEmpty ? focused.map { [$0] } ?? [] : selected.sorted() }
    /// The number of uses of each verb, in the order of the first use, without undone ones. Those that failed are
    /// counted at the end.
    public var tally: [(word: String, count: Int)] {
        var words: [String] = []
        var counts: [String: Int] = [:]
        for entry in done {
            let word = entry.verb.tallyWord
            if counts[word] == nil { words.append(word) }
            counts[word, default: 0] += entry.items.count - entry.failed.count
        }
        let failed = done.reduce(0) { $0 + $1.failed.count }
        return (words.map { ($0, counts[$0] ?? 0) } + [("failed", failed)]).filter { $0.count > 0 }
    }

    public func labels(of index: Int) -> [String] {
        items[index].labels + (added[index] ?? []).filter { !items[index].labels.contains($0) }
    }

    /// The state that undo restores: everything except the count of orders.
    public var state: InboxModel {
        var state = self
        state.number = 0
        return state
    }

    // MARK: Navigation

    public mutating func moveFocus(by count: Int) { setFocus(focus + count) }

    public mutating func setFocus(_ row: Int) { focus = max(0, min(row, rows.count - 1)) }

    /// Selects or deselects the item with the focus; then the next one gets the focus.
    public mutating func toggleSelection() {
        guard let focused else { return }
        if selected.remove(focused) == nil { selected.insert(focused) }
        moveFocus(by: 1)
    }

    public mutating func clearSelection() { selected = [] }

    /// Shows only these items; nil shows all. The focus stays on its item if that is shown.
    public mutating func show(only found: Set<Int>?) {
        let focused = focused
        self.found = found
        rows = found.map { found in left.filter(found.contains) } ?? left
        selected.formIntersection(rows)
        focus = focused.map { Self.place(of: $0, in: rows) } ?? 0
        setFocus(focus)
    }

    // MARK: Decisions

    /// Applies the verb to the model, and returns the order for the account; nil if there is no item.
    ///
    /// `only`: applies to this item, whatever is selected.
    public mutating func decide(_ verb: InboxVerb, only: Int? = nil) -> InboxOrder? {
        let targets = only.map { [$0] } ?? targets
        guard let focused, !targets.isEmpty else { return nil }
        let entry = Done(
            number: number, verb: verb, items: targets, focused: focused, selected: selected, found: found)
        number += 1
        done.append(entry)
        if only == nil { selected = [] }
        if verb.decides { remove(targets) }
        if case .label(let label) = verb { for index in targets { added[index, default: []].append(label) } }
        return InboxOrder(number: entry.number, verb: verb, items: targets.map { items[$0] })
    }

    /// Undoes the last verb in the model that did anything, and returns its number and the verb; nil if there is none.
    public mutating func takeBack() -> (number: Int, verb: InboxVerb)? {
        guard let place = done.lastIndex(where: { !$0.undoable.isEmpty }) else { return nil }
        let entry = done.remove(at: place)
        restore(entry)
        found = entry.found
        rows = found.map { found in left.filter(found.contains) } ?? left
        selected = entry.selected.intersection(rows)
        setFocus(Self.place(of: entry.focused, in: rows))
        return (entry.number, entry.verb)
    }

    /// The order was not executed: its items come back. The focus stays where it is.
    public mutating func refuse(_ number: Int) {
        guard let place = done.lastIndex(where: { $0.number == number }) else { return }
        let entry = done.remove(at: place)
        let focused = focused
        restore(entry)
        rows = found.map { found in left.filter(found.contains) } ?? left
        setFocus(Self.place(of: focused ?? entry.focused, in: rows))
    }

    /// A step of the order failed. Its items stay decided: the message may no longer be there.
    public mutating func fail(_ number: Int, _ message: EmailID) {
        guard let place = done.lastIndex(where: { $0.number == number }) else { return }
        done[place].failed.formUnion(
            done[place].items.filter { items[$0].messages.contains(message) })
    }

    /// Nothing was done with a message of the order, because it is no longer where it was listed. It counts as failed, and
    /// there is nothing to undo.
    public mutating func depart(_ number: Int, _ message: EmailID) {
        fail(number, message)
        guard let place = done.lastIndex(where: { $0.number == number }) else { return }
        done[place].departed.formUnion(
            done[place].items.filter { items[$0].messages.contains(message) })
    }

    private mutating func restore(_ entry: Done) {
        if entry.verb.decides { left = Self.merged(left, entry.undoable) }
        guard case .label(let label) = entry.verb else { return }
        for index in entry.undoable {
            guard var labels = added[index], let place = labels.lastIndex(of: label) else { continue }
            labels.remove(at: place)
            added[index] = labels.isEmpty ? nil : labels
        }
    }

    private mutating func remove(_ targets: [Int]) {
        let before = Set(targets)
        // The focus moves to the next remaining item, or to the last one at the end of the list.
        let above = rows[..<focus].count { !before.contains($0) }
        if targets.count == 1, let target = targets.first {
            Self.remove(target, from: &left)
            Self.remove(target, from: &rows)
        } else {
            left.removeAll(where: before.contains)
            rows.removeAll(where: before.contains)
        }
        setFocus(above)
    }

    // MARK: Sorted numbers

    /// The index at which the number is, or would be inserted.
    private static func place(of number: Int, in sorted: [Int]) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func remove(_ number: Int, from sorted: inout [Int]) {
        let place = place(of: number, in: sorted)
        if place < sorted.count, sorted[place] == number { sorted.remove(at: place) }
    }

    private static func merged(_ sorted: [Int], _ more: [Int]) -> [Int] {
        var merged = sorted
        for number in more {
            let place = place(of: number, in: merged)
            if place == merged.count || merged[place] != number { merged.insert(number, at: place) }
        }
        return merged
    }
}

extension InboxVerb {
    /// The same text for all uses of a verb.
    fileprivate var tallyWord: String {
        switch self {
        case .archive: "archived"
        case .trash: "to the trash"
        case .junk: "to junk"
        case .deferUntil: "deferred"
        case .move: "moved"
        case .label: "labelled"
        case .task: "made a task"
        case .wait: "waiting"
        case .delegate: "delegated"
        case .rule: "made a rule"
        case .draft: "written"
        }
    }
}
