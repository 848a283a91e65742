public import Models

/// What became of the messages in the command mailboxes of one account.
public struct OrderReport: Sendable {
    public struct Order: Hashable, Sendable {
        /// The mailbox, as people see it.
        public var mailbox: String
        public var mail: ReturnedMail
        /// Why it was not carried out, in words that may hold a stranger's; nil: it was.
        public var failure: String?
    }

    /// A mailbox that should give orders, and does not.
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

/// What a watch has said of orders that cannot be carried out: it does not say it again after each sync.
struct SaidOrders {
    private var failures: Set<OrderReport.Order> = []
    private var strange: Set<OrderReport.Strange> = []

    /// Whether the report says anything new.
    mutating func insert(_ report: OrderReport) -> Bool {
        var isNew = report.orders.contains { $0.failure == nil }
        for order in report.orders where order.failure != nil {
            if failures.insert(order).inserted { isNew = true }
        }
        for one in report.strange where strange.insert(one).inserted { isNew = true }
        return isNew
    }
}
