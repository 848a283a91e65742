public import Models
import Planner

/// Which run to undo, and which of its steps.
public struct UndoRequest: Sendable {
    /// Such as `r:0012`; nil: the last run that changed something, undo runs excepted.
    public var run: String?
    /// Only the steps of this rule.
    public var rule: String?
    /// Only the steps on these messages.
    public var messages: [String]
    public var account: String?
    /// Whether tasks that were edited since are cancelled instead of left unchanged.
    public var isForced: Bool
    /// Only these parts of the run.
    var parts: [RunID]?

    public init(
        run: String? = nil, rule: String? = nil, messages: [String] = [], account: String? = nil,
        isForced: Bool = false
    ) {
        self.run = run
        self.rule = rule
        self.messages = messages
        self.account = account
        self.isForced = isForced
    }
}

/// A preview of an undo: the changes it would make.
public struct UndoPlan: Sendable {
    /// One step of the run.
    public struct Line: Sendable {
        public enum Fate: Hashable, Sendable {
            /// The step is undone by this one.
            case inverse(Step.Kind)
            /// The step has not happened, and is cancelled.
            case cancelled
            /// There is nothing to undo, with the reason.
            case nothing(String)
            case cannot(String)
        }

        public var step: Step
        public var fate: Fate
        /// The due date to restore; nil: the message is not deferred.
        public var until: DeferredUntil?
    }

    /// The steps of one account.
    struct Part {
        var account: AccountID
        var items: [Undo.Item]
    }

    public var run: RunLine
    /// In reverse order of processing: the last account is first.
    private(set) var parts: [Part]
    /// The runs that already undid steps of this run.
    public var undoneBy: [RunID]
    /// Why an account could not be synced first: its part of the plan uses the last sync.
    public var unsynced: Problem?

    var items: [Undo.Item] { parts.flatMap(\.items) }

    /// The accounts whose steps are undone.
    public var accounts: [AccountID] { run.accounts.filter { id in parts.contains { $0.account == id } } }

    /// Newest first, account by account.
    public var lines: [Line] {
        items.map { item in
            let fate: Line.Fate =
                switch item.answer {
                case .inverse(let step): .inverse(step.kind)
                case .cancel: .cancelled
                case .release(_, let reason), .nothing(let reason): .nothing(reason)
                case .sent: .nothing(Self.sent)
                case .cannot(let reason): .cannot(reason)
                }
            return Line(step: item.step, fate: fate, until: item.until)
        }
    }

    private static let sent = "it was sent, and stays sent"

    /// Why the first result that stays does so; nil: none stays.
    var whatStays: String? {
        items.lazy.compactMap { item -> String? in
            switch item.answer {
            case .cannot(let reason): reason
            case .sent: Self.sent
            case .inverse, .release, .cancel, .nothing: nil
            }
        }.first
    }

    mutating func keep(_ isWanted: (Undo.Item) -> Bool) {
        for index in parts.indices { parts[index].items.removeAll { !isWanted($0) } }
    }

    /// All steps are already undone.
    public var isUndone: Bool { !undoneBy.isEmpty && changes == 0 && !hasLeftovers }

    public var changes: Int {
        items.count { item in
            switch item.answer {
            case .inverse, .release, .cancel: true
            case .nothing, .sent, .cannot: false
            }
        }
    }

    /// Whether no step was begun, so that no account is involved.
    var isLocal: Bool {
        items.allSatisfy { item in
            switch item.answer {
            case .cancel, .nothing, .sent: true
            case .inverse, .release, .cannot: false
            }
        }
    }

    /// Whether a result of the run stays.
    public var hasLeftovers: Bool {
        items.contains { item in
            if case .cannot = item.answer { return true }
            return false
        }
    }
}
