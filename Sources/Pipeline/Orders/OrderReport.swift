public import Models

/// The results of the orders in the command mailboxes of one account.
public struct OrderReport: Sendable {
    public struct Order: Hashable, Sendable {
        /// The display name of the mailbox.
        public var mailbox: String
        public var mail: ReturnedMail
        /// Why the order was not executed, which may include untrusted text; nil: it was executed.
        public var failure: String?
    }

    /// A mailbox that has the name of a command mailbox, but is not one.
    public struct Strange: Hashable, Sendable {
        public var mailbox: String
        public var reason: String
    }

    public var account: AccountID
    public internal(set) var orders: [Order] = []
    public internal(set) var strange: [Strange] = []
    public internal(set) var runs: [RunReport] = []

    public var isQuiet: Bool { orders.isEmpty && strange.isEmpty }
    public var hasFailures: Bool { orders.contains { $0.failure != nil } }
}

extension RunReport {
    /// The earlier steps that were done together with an order, such as a mail that was held: no line of an order names
    /// them.
    public var withoutOrders: RunReport {
        var rest = RunReport(account: account)
        rest.drain.confirmed = drain.confirmed.filter { step in
            switch step.cause {
            case .hand(let verb): !verb.hasPrefix("order ")
            case .undo, .deferredList: false
            case .rule, .task, .deferral, .reply: true
            }
        }
        rest.drain.unchanged = drain.unchanged
        rest.notices = notices
        return rest
    }
}

/// The failed orders that a watch has already reported, so that it does not report them again after each
/// sync.
struct SaidOrders {
    private var failures: Set<OrderReport.Order> = []
    private var strange: Set<OrderReport.Strange> = []

    /// Whether the report contains anything new.
    mutating func insert(_ report: OrderReport) -> Bool {
        var isNew = report.orders.contains { $0.failure == nil }
        for order in report.orders where order.failure != nil {
            if failures.insert(order).inserted { isNew = true }
        }
        for one in report.strange where strange.insert(one).inserted { isNew = true }
        return isNew
    }
}
