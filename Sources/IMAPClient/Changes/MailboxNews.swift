import IMAPProtocol

/// What the server reported about other mailboxes while commands ran. It is kept until a survey covers it, so that no
/// wait misses it. RFC 5465.
struct MailboxNews {
    /// Whether the server reports changes of other mailboxes in this session.
    private(set) var isOn = false
    /// The numbers at the last survey.
    private var surveyed: [[UInt8]: MailboxStatus] = [:]
    /// Different numbers reported since.
    private var reported: [[UInt8]: MailboxStatus] = [:]
    /// The mailboxes of the last survey.
    private var listed: Set<[UInt8]> = []
    /// Mailboxes that were made, renamed or deleted since that survey began.
    private var renamed: Set<[UInt8]> = []
    /// A LIST command is running, so each name is part of its answer.
    var isListing = false

    /// The most mailboxes to remember, more than real accounts have. The next survey covers the others.
    private static let mostMailboxes = 10_000

    /// The server accepted NOTIFY and sent these numbers. Mailboxes that no survey has seen are known from here on.
    mutating func begin(_ statuses: [MailboxStatus]) {
        isOn = true
        for status in statuses {
            if let known = surveyed[status.name], known.differs(from: status) {
                keep(status)
            } else {
                surveyed[status.name] = status
            }
        }
    }

    /// The server has stopped reporting, because there were too many events.
    mutating func end() { isOn = false }

    mutating func note(_ status: MailboxStatus) {
        guard isOn else { return }
        if let known = surveyed[status.name], !known.differs(from: status) {
            reported[status.name] = nil
        } else {
            keep(status)
        }
    }

    /// A LIST response. RFC 5465 §5.4. IMAP4rev2 servers send one for each mailbox that is opened, too, but that one is
    /// known. RFC 9051 §6.3.2.
    mutating func note(name: [UInt8], isGone: Bool) {
        guard isOn, !isListing, isGone || !listed.contains(name), renamed.count < Self.mostMailboxes else {
            return
        }
        renamed.insert(name)
    }

    private mutating func keep(_ status: MailboxStatus) {
        guard reported.count < Self.mostMailboxes || reported[status.name] != nil else { return }
        reported[status.name] = status
    }

    /// A survey begins: it will list every mailbox.
    mutating func beginSurvey() { renamed = [] }

    /// A survey saw these mailboxes and numbers, and covers all earlier reports.
    mutating func cover(_ statuses: [MailboxStatus], of mailboxes: [[UInt8]]) {
        listed = Set(mailboxes.prefix(Self.mostMailboxes))
        surveyed = Dictionary(statuses.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
        reported = reported.filter { name, status in surveyed[name]?.differs(from: status) ?? false }
    }

    /// The mailboxes that changed since the survey, except the open one. Each is returned once.
    mutating func take(except open: [UInt8]) -> Set<[UInt8]> {
        defer {
            surveyed.merge(reported) { _, new in new }
            (reported, renamed) = ([:], [])
        }
        return renamed.union(reported.keys).subtracting([open])
    }
}

extension MailboxStatus {
    /// Numbers that one side does not have are ignored.
    fileprivate func differs(from other: MailboxStatus) -> Bool {
        func differ<Number: Equatable>(_ one: Number?, _ two: Number?) -> Bool {
            guard let one, let two else { return false }
            return one != two
        }
        return differ(messages, other.messages) || differ(uidNext, other.uidNext)
            || differ(uidValidity, other.uidValidity) || differ(highestModSeq, other.highestModSeq)
    }
}

extension StatusResponse {
    /// Whether the server has ended NOTIFY. RFC 5465 §5.8.
    var endsNotify: Bool {
        if case .other("NOTIFICATIONOVERFLOW", _) = code { return true }
        return false
    }
}
