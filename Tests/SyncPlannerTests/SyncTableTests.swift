import Models
import Testing

@testable import SyncPlanner

private let never = LocalMailbox(uidValidity: nil)
private let three = LocalMailbox(uidValidity: 7, uidNext: 10, highestModSeq: 50, count: 3)
private let understated: LocalMailbox = {
    var local = plain
    local.reportedUIDNext = 8
    return local
}()
private let plain = LocalMailbox(uidValidity: 7, uidNext: 10, count: 3)
/// Three messages here, and five there that are older than the window.
private let windowed = LocalMailbox(uidValidity: 7, uidNext: 10, highestModSeq: 50, count: 3, beyond: 5)
private let allBeyond = LocalMailbox(uidValidity: 7, uidNext: 10, highestModSeq: 50, count: 0, beyond: 5)
private let empty = LocalMailbox(uidValidity: 7, uidNext: 10, highestModSeq: 50)

private func server(
    _ validity: UInt32 = 7, next: UInt32? = 10, modSeq: UInt64? = 50, exists: Int = 3,
    by tracking: ChangeTracking = .condstore
) -> ServerMailbox {
    ServerMailbox(
        uidValidity: validity, uidNext: next, highestModSeq: modSeq, exists: exists, tracking: tracking)
}

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

    static let firstTimes = [
        Case("a new mailbox is fetched whole", never, server(), .fetchAll),
        Case("a new mailbox without messages needs nothing", never, server(exists: 0), .nothing),
        Case(
            "a first sync that was cut off compares what it has",
            LocalMailbox(uidValidity: 7, count: 2), server(), .compareAll),
        Case("an empty mailbox stays empty", empty, server(modSeq: 60, exists: 0), .nothing),
        Case("the first mail in an empty mailbox", empty, server(next: 11, exists: 1), .fetchAll),
    ]

    static let proofs = [
        Case("the same HIGHESTMODSEQ proves that nothing changed", three, server(), .nothing),
        Case("the proof does not need UIDNEXT", three, server(next: nil), .nothing),
        Case("without CONDSTORE nothing is proven", plain, server(modSeq: nil, by: .none), .compareAll),
        Case(
            "a mailbox that lost its HIGHESTMODSEQ (NOMODSEQ) proves nothing", three, server(modSeq: nil),
            .compareAll),
        Case("HIGHESTMODSEQ 0 proves nothing", three, server(modSeq: 0), .compareAll),
        Case("HIGHESTMODSEQ that went back is a backup", three, server(modSeq: 49), .rebind),
        Case(
            "HIGHESTMODSEQ that went back is a backup, whatever QRESYNC says", three,
            server(modSeq: 49, by: .qresync), .rebind),
        Case(
            "HIGHESTMODSEQ that went back in a mailbox that was emptied", three,
            server(modSeq: 49, exists: 0), .compareAll),
        Case("new mail that left HIGHESTMODSEQ as it was", three, server(next: 11, exists: 4), .compareAll),
        Case("a message went and HIGHESTMODSEQ stayed", three, server(exists: 2), .compareAll),
        Case(
            "UIDNEXT that went back is a backup", three, server(next: 5, modSeq: 60, by: .qresync),
            .rebind),
        Case(
            "UIDNEXT that went back is a backup, without CONDSTORE and when a comparison is due", plain,
            server(next: 9, modSeq: nil, by: .none), compareDue: true, .rebind),
        Case(
            "a server that always told a UIDNEXT below its UIDs has not gone back", understated,
            server(next: 8, modSeq: nil, by: .none), .compareAll),
        Case("a comparison that is due is not saved", three, server(), compareDue: true, .compareAll),
        Case(
            "a comparison that is due is not saved by QRESYNC", three, server(modSeq: 60, by: .qresync),
            compareDue: true, .compareAll),
        Case("a mailbox that was emptied is compared", three, server(modSeq: 60, exists: 0), .compareAll),
        Case(
            "a mailbox that QRESYNC says was emptied is compared", three,
            server(modSeq: 60, exists: 0, by: .qresync), .compareAll),
    ]

    static let changes = [
        Case(
            "QRESYNC: flags changed or messages went", three, server(modSeq: 51, by: .qresync),
            .applyReported, .checkCount),
        Case(
            "QRESYNC: new mail", three, server(next: 12, modSeq: 51, exists: 5, by: .qresync),
            .applyReported, .fetchNew(from: 10), .checkCount),
        Case(
            "QRESYNC: a server that does not tell UIDNEXT is asked for new mail", three,
            server(next: nil, modSeq: 51, by: .qresync),
            .applyReported, .fetchNew(from: 10), .checkCount),
        Case(
            "CONDSTORE: flags changed or messages went", three, server(modSeq: 51),
            .fetchChanges(since: 50, below: 10), .checkCount),
        Case(
            "CONDSTORE: new mail", three, server(next: 12, modSeq: 51, exists: 5),
            .fetchChanges(since: 50, below: 10), .fetchNew(from: 10), .checkCount),
        Case(
            "HIGHESTMODSEQ of a server whose CONDSTORE is not trusted", three, server(modSeq: 51, by: .none),
            .compareAll),
    ]

    static let windows = [
        Case("messages beyond the window are not missing", windowed, server(exists: 8), .nothing),
        Case(
            "QRESYNC: new mail beside messages beyond the window", windowed,
            server(next: 11, modSeq: 51, exists: 9, by: .qresync),
            .applyReported, .fetchNew(from: 10), .checkCount),
        Case(
            "CONDSTORE: flags changed, also of messages beyond the window", windowed,
            server(modSeq: 51, exists: 8), .fetchChanges(since: 50, below: 10), .checkCount),
        Case(
            "a message beyond the window went, and nothing says so", windowed, server(exists: 7), .compareAll),
        Case("a mailbox all of which is beyond the window", allBeyond, server(exists: 5), .nothing),
        Case(
            "the first mail within the window", allBeyond,
            server(next: 11, modSeq: 51, exists: 6, by: .qresync),
            .applyReported, .fetchNew(from: 10), .checkCount),
        Case(
            "without CONDSTORE all is compared, within the window and beyond",
            LocalMailbox(uidValidity: 7, uidNext: 10, count: 3, beyond: 5),
            server(modSeq: nil, exists: 8, by: .none), .compareAll),
        Case(
            "a wider window makes a comparison due", windowed, server(exists: 8), compareDue: true,
            .compareAll),
    ]

    static let validities = [
        Case("a changed UIDVALIDITY rebinds", three, server(8), .rebind),
        Case(
            "a changed UIDVALIDITY rebinds, whatever QRESYNC brought", three,
            server(8, modSeq: 51, by: .qresync), .rebind),
        Case("a changed UIDVALIDITY rebinds an emptied mailbox too", three, server(8, exists: 0), .rebind),
        Case("a changed UIDVALIDITY of an empty mailbox is taken over", empty, server(8), .rebind),
        Case(
            "UIDVALIDITY 0 makes a mailbox read-only", never, server(0),
            .readOnlyMailbox(reason: .noUIDValidity), .fetchAll),
        Case(
            "a mailbox that loses its UIDVALIDITY is rebound and read-only", three, server(0),
            .readOnlyMailbox(reason: .noUIDValidity), .rebind),
    ]

    @Test(arguments: firstTimes + proofs + changes + windows + validities)
    func steps(_ row: Case) {
        let steps = SyncTable.steps(local: row.local, server: row.server, compareDue: row.compareDue)
        #expect(steps == row.steps)
    }

    /// No state of either side may lead to no step, and none but a proof to `.nothing`.
    @Test("every state has steps, and only proof of no change gives none")
    func exhaustive() {
        for local in [never, three, plain, windowed, allBeyond, empty] {
            for tracking in ChangeTracking.allCases {
                for (next, modSeq, exists) in Self.numbers {
                    let there = server(next: next, modSeq: modSeq, exists: exists, by: tracking)
                    let steps = SyncTable.steps(local: local, server: there)
                    #expect(!steps.isEmpty)
                    guard steps == [.nothing] else { continue }
                    let proof = modSeq == 50 && exists == local.expected && local.highestModSeq == 50
                    #expect(proof || (local.expected == 0 && exists == 0), "\(local) \(there)")
                }
            }
        }
    }

    private static let numbers: [(UInt32?, UInt64?, Int)] = [nil, 5, 10, 11].flatMap { next in
        [nil, 0, 49, 50, 51].flatMap { modSeq in [0, 2, 3, 4, 5, 8].map { (next, modSeq, $0) } }
    }
}

@Suite struct OpeningTests {
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let local: LocalMailbox
        let status: ServerMailbox?
        let tracking: ChangeTracking
        let compareDue: Bool
        let opening: Opening

        init(
            _ name: String, _ local: LocalMailbox, _ status: ServerMailbox?,
            by tracking: ChangeTracking = .qresync, due: Bool = false, _ opening: Opening
        ) {
            testDescription = name
            self.local = local
            self.status = status
            self.tracking = tracking
            compareDue = due
            self.opening = opening
        }
    }

    private static let again = Opening.resynchronize(uidValidity: 7, modSeq: 50, below: 10)

    static let cases = [
        Case("a mailbox that STATUS proves unchanged is not opened", three, server(), .skip),
        Case("the proof is CONDSTORE's, not QRESYNC's", three, server(), by: .condstore, .skip),
        Case("without numbers it is opened", three, nil, by: .condstore, .whole),
        Case("QRESYNC needs no STATUS", three, nil, again),
        Case("STATUS without HIGHESTMODSEQ proves nothing", plain, server(modSeq: nil), by: .none, .whole),
        Case("what changed is asked for since we looked", three, server(next: 12, modSeq: 51), again),
        Case("with CONDSTORE alone SELECT is plain", three, server(modSeq: 51), by: .condstore, .whole),
        Case("numbers that contradict each other are not built upon", three, server(next: 12), .whole),
        Case("UIDNEXT that went back is not built upon", three, server(next: 9, modSeq: 51), .whole),
        Case("HIGHESTMODSEQ that went back is not built upon", three, server(modSeq: 49), .whole),
        Case("a comparison that is due opens a proven mailbox", three, server(), due: true, .whole),
        Case("a comparison that is due does not resynchronize", three, nil, due: true, .whole),
        Case("another UIDVALIDITY", three, server(8), .whole),
        Case(
            "UIDVALIDITY 0", LocalMailbox(uidValidity: 0, uidNext: 10, highestModSeq: 50, count: 3),
            server(0), .whole),
        Case("a mailbox that was emptied", three, server(modSeq: 51, exists: 0), .whole),
        Case("a mailbox that was never synchronised", never, server(), .whole),
        Case("what is beyond the window proves nothing less", windowed, server(exists: 8), .skip),
        Case(
            "what is beyond the window does not hinder QRESYNC", allBeyond, server(modSeq: 51, exists: 5),
            again),
        Case(
            "a window that is wider than before opens a proven mailbox", windowed, server(exists: 8),
            due: true, .whole),
        Case("an empty mailbox that stays empty is not opened", empty, server(modSeq: 60, exists: 0), .whole),
        Case(
            "an empty mailbox without CONDSTORE is not opened", LocalMailbox(uidValidity: 7, uidNext: 10),
            server(modSeq: nil, exists: 0), by: .none, due: true, .skip),
        Case("the first mail in an empty mailbox", empty, server(next: 11, modSeq: 60, exists: 1), .whole),
        Case(
            "a sync that left something out is not continued",
            LocalMailbox(uidValidity: 7, uidNext: 10, count: 3), server(modSeq: 51), .whole),
    ]

    @Test(arguments: cases)
    func opening(_ row: Case) {
        let opening = SyncTable.opening(
            local: row.local, status: row.status, tracking: row.tracking, compareDue: row.compareDue)
        #expect(opening == row.opening)
    }

    @Test(
        "everything is compared once a day, and after the clock was set back",
        arguments: [
            (nil, 100, true), (100, 100, false), (100, 86_499, false), (100, 86_500, true), (200, 100, true),
        ] as [(Int64?, Int64, Bool)])
    func compareDue(_ comparedAt: Int64?, _ now: Int64, _ isDue: Bool) {
        #expect(
            SyncTable.isCompareDue(
                comparedAt: comparedAt.map { Timestamp(seconds: $0) }, now: Timestamp(seconds: now)) == isDue)
    }

    @Test("everything is compared when the window becomes wider")
    func widerWindow() {
        let now = Timestamp(seconds: 100)
        #expect(SyncTable.isCompareDue(comparedAt: now, now: now, isWindowWider: true))
    }
}
