/// The known state of a mailbox, for a caller that waits for changes; nil is not compared.
public struct KnownNumbers: Equatable, Sendable {
    public var exists: Int?
    public var uidValidity: UInt32?
    public var uidNext: UInt32?
    public var highestModSeq: UInt64?

    /// No mailbox has these numbers: everything in it is news.
    public static let nothing = KnownNumbers(exists: -1)

    public init(
        exists: Int? = nil, uidValidity: UInt32? = nil, uidNext: UInt32? = nil,
        highestModSeq: UInt64? = nil
    ) {
        self.exists = exists
        self.uidValidity = uidValidity
        self.uidNext = uidNext
        self.highestModSeq = highestModSeq
    }

    /// The numbers of a SELECT or EXAMINE.
    public init(_ mailbox: SelectedMailbox) {
        self.init(
            exists: mailbox.exists, uidValidity: mailbox.uidValidity, uidNext: mailbox.uidNext,
            highestModSeq: mailbox.highestModSeq)
    }

    /// Whether the mailbox has changed since. Numbers that one side does not have are ignored.
    func differs(from mailbox: SelectedMailbox) -> Bool {
        func differ<Number: Equatable>(_ known: Number?, _ seen: Number?) -> Bool {
            guard let known, let seen else { return false }
            return known != seen
        }
        return differ(exists, mailbox.exists) || differ(uidValidity, mailbox.uidValidity)
            || differ(uidNext, mailbox.uidNext) || differ(highestModSeq, mailbox.highestModSeq)
    }
}
