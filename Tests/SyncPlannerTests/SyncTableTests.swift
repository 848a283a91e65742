import Testing

@testable import SyncPlanner

@Suite struct SyncTableTests {
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let local: LocalMailbox
        let server: ServerMailbox
        var compareDue = false
        let steps: [SyncStep]

        init(
            _ name: String, _ local: LocalMailbox, _ server: ServerMailbox, compareDue: Bool = false,
            _ steps: SyncStep...
        ) {
            testDescription = name
            self.local = local
            self.server = server
            self.compareDue = compareDue
            self.steps = steps
        }
    }

    private static let never = LocalMailbox(uidValidity: nil)
    private static let three = LocalMailbox(uidValidity: 7, uidNext: 10, highestModSeq: 50, uids: [1, 4, 9])
    private static let plain = LocalMailbox(uidValidity: 7, uidNext: 10, uids: [1, 4, 9])
    private static let empty = LocalMailbox(uidValidity: 7, uidNext: 10, highestModSeq: 50)

    private static func server(
        _ validity: UInt32 = 7, next: UInt32? = 10, modSeq: UInt64? = 50, exists: Int = 3
    ) -> ServerMailbox {
        ServerMailbox(uidValidity: validity, uidNext: next, highestModSeq: modSeq, exists: exists)
    }

    static let cases = [
        Case("a new mailbox is fetched whole", never, server(), .fetchNew(from: 1)),
        Case("a new mailbox without messages needs nothing", never, server(exists: 0), .nothing),
        Case(
            "a first sync that was cut off compares what it has",
            LocalMailbox(uidValidity: 7, uids: [1, 4]), server(), .compareAll),
        Case("the same HIGHESTMODSEQ proves that nothing changed", three, server(), .nothing),
        Case("the proof does not need UIDNEXT", three, server(next: nil), .nothing),
        Case("without CONDSTORE nothing is proven", plain, server(modSeq: nil), .compareAll),
        Case("a server that lost CONDSTORE proves nothing", three, server(modSeq: nil), .compareAll),
        Case("HIGHESTMODSEQ 0 proves nothing", three, server(modSeq: 0), .compareAll),
        Case("flags changed", three, server(modSeq: 51), .compareAll),
        Case("HIGHESTMODSEQ that went back is no proof", three, server(modSeq: 49), .compareAll),
        Case("new mail", three, server(next: 11, modSeq: 51, exists: 4), .compareAll),
        Case("new mail that left HIGHESTMODSEQ as it was", three, server(next: 11, exists: 4), .compareAll),
        Case("a message went and HIGHESTMODSEQ stayed", three, server(exists: 2), .compareAll),
        Case("UIDNEXT that went back is not believed", three, server(next: 5), .compareAll),
        Case("a comparison that is due is not saved", three, server(), compareDue: true, .compareAll),
        Case("a mailbox that was emptied is compared", three, server(modSeq: 60, exists: 0), .compareAll),
        Case("an empty mailbox stays empty", empty, server(modSeq: 60, exists: 0), .nothing),
        Case("the first mail in an empty mailbox", empty, server(next: 11, exists: 1), .fetchNew(from: 1)),
        Case("a changed UIDVALIDITY rebinds", three, server(8), .rebind),
        Case("a changed UIDVALIDITY rebinds an emptied mailbox too", three, server(8, exists: 0), .rebind),
        Case("a changed UIDVALIDITY of an empty mailbox is taken over", empty, server(8), .rebind),
        Case(
            "UIDVALIDITY 0 makes a mailbox read-only", never, server(0),
            .readOnlyMailbox(reason: .noUIDValidity), .fetchNew(from: 1)),
        Case(
            "a mailbox that loses its UIDVALIDITY is rebound and read-only", three, server(0),
            .readOnlyMailbox(reason: .noUIDValidity), .rebind),
    ]

    @Test(arguments: cases)
    func steps(_ row: Case) {
        let steps = SyncTable.steps(local: row.local, server: row.server, compareDue: row.compareDue)
        #expect(steps == row.steps)
    }
}
