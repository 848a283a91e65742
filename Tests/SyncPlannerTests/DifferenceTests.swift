import Models
import Testing

@testable import SyncPlanner

@Suite struct DifferenceTests {
    private static let work = Keyword("work")

    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let local: [MessageMarks]
        let server: [MessageMarks]
        let difference: Difference
    }

    static let cases = [
        Case(
            testDescription: "equal lists do not differ",
            local: [.init(uid: 1, flags: [.seen]), .init(uid: 2, keywords: [work])],
            server: [.init(uid: 1, flags: [.seen]), .init(uid: 2, keywords: [work])],
            difference: Difference()),
        Case(
            testDescription: "new and vanished messages",
            local: [.init(uid: 1), .init(uid: 2), .init(uid: 5)],
            server: [.init(uid: 2), .init(uid: 9), .init(uid: 7)],
            difference: Difference(new: [7, 9], vanished: [1, 5])),
        Case(
            testDescription: "a flag that was set, a flag that went, a keyword that changed",
            local: [.init(uid: 1), .init(uid: 2, flags: [.flagged]), .init(uid: 3, keywords: [work])],
            server: [.init(uid: 3), .init(uid: 2), .init(uid: 1, flags: [.seen])],
            difference: Difference(changed: [
                .init(uid: 1, flags: [.seen]), .init(uid: 2), .init(uid: 3),
            ])),
        Case(
            testDescription: "the case of a keyword is no change",
            local: [.init(uid: 1, keywords: [Keyword("$Forwarded")])],
            server: [.init(uid: 1, keywords: [Keyword("$forwarded")])], difference: Difference()),
        Case(
            testDescription: "UID 0 is no message",
            local: [.init(uid: 1)], server: [.init(uid: 0), .init(uid: 1)], difference: Difference()),
        Case(
            testDescription: "of a UID that comes twice the last counts",
            local: [.init(uid: 1)],
            server: [.init(uid: 1, flags: [.seen]), .init(uid: 1), .init(uid: 2), .init(uid: 2)],
            difference: Difference(new: [2])),
        Case(
            testDescription: "an emptied mailbox",
            local: [.init(uid: 4), .init(uid: 3)], server: [], difference: Difference(vanished: [3, 4])),
    ]

    @Test(arguments: cases)
    func difference(_ row: Case) {
        let difference = SyncTable.difference(local: row.local, server: row.server)
        #expect(difference == row.difference)
        #expect(difference.isEmpty == (row.difference == Difference()))
    }

    @Test(
        "more than 50 removed messages and more than one in twenty look impossible",
        arguments: [
            (0, 0, false), (50, 50, false), (51, 51, true), (51, 1_019, true), (51, 1_020, false),
            (5_000, 100_000, false), (5_001, 100_000, true),
        ])
    func impossible(_ vanished: Int, _ known: Int, _ isImpossible: Bool) {
        #expect(SyncTable.looksImpossible(vanished: vanished, known: known) == isImpossible)
    }
}
