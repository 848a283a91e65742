import Models
import Testing

@testable import SyncPlanner

@Suite struct DoubtTableTests {
    private let now = Timestamp(seconds: 1_000_000)

    private func suspicion(_ uids: ClosedRange<UInt32>) -> MessageDoubt {
        MessageDoubt(.content, .lost, uids, triedAt: now)
    }

    private func single(
        _ uid: UInt32, tries: Int, _ cause: MessageDoubt.Cause = .lost, ago seconds: Int64 = 0
    ) -> MessageDoubt {
        MessageDoubt(
            .content, cause, uid...uid, tries: tries, triedAt: Timestamp(seconds: now.seconds - seconds))
    }

    @Test func `suspected messages are requested last, the first alone, then in halves`() {
        let groups = DoubtTable.groups(
            [9, 8, 7, 6, 5, 4, 3, 2, 1], [suspicion(3...7)], now: now)
        #expect(groups.ordinary == [9, 8, 2, 1])
        #expect(groups.probes == [[3], [4, 5], [6, 7]])
        #expect(groups.leftOut == [])
    }

    @Test func `a found message is left out until it is due, then requested alone`() {
        let early = DoubtTable.groups([1, 2], [single(2, tries: 1, ago: 3_599)], now: now)
        #expect(early.ordinary == [1])
        #expect(early.leftOut == [single(2, tries: 1, ago: 3_599)])
        let due = DoubtTable.groups([1, 2], [single(2, tries: 1, ago: 3_600)], now: now)
        #expect(due.probes == [[2]])
        #expect(due.leftOut == [])
    }

    @Test(arguments: [
        (1, MessageDoubt.Cause.lost, Int64(3_600)), (2, .lost, 86_400), (3, .lost, 604_800),
        (99, .lost, 604_800),
        (1, .unread, 0), (2, .unread, 3_600), (3, .unread, 86_400), (4, .unread, 604_800),
    ])
    func `the pauses between attempts grow`(_ tries: Int, _ cause: MessageDoubt.Cause, _ pause: Int64) {
        #expect(DoubtTable.pause(single(1, tries: tries, cause)) == pause)
    }

    @Test func `after the clock was set back, everything is due`() {
        #expect(DoubtTable.isDue(single(1, tries: 9, ago: -1), now: now))
    }

    @Test func `one loss makes messages suspected, and the second at a single message finds it`() {
        let first = DoubtTable.afterLoss(
            InterruptedFetch(uids: 5...5, isAlone: true), [], .content, now: now)
        #expect(first == [suspicion(5...5)])
        let second = DoubtTable.afterLoss(
            InterruptedFetch(uids: 5...5, isAlone: true), first, .content, now: now)
        #expect(second == [single(5, tries: 1)])
        let third = DoubtTable.afterLoss(
            InterruptedFetch(uids: 5...5, isAlone: true), second, .content, now: now)
        #expect(third == [single(5, tries: 2)])
    }

    @Test func `a narrower loss replaces the suspicion about the same range`() {
        let doubts = DoubtTable.afterLoss(
            InterruptedFetch(uids: 3...4, isAlone: false), [suspicion(3...9), suspicion(20...30)], .content,
            now: now)
        #expect(doubts == [suspicion(20...30), suspicion(3...4)])
    }

    /// However many messages are bad, and whether or not the server sends what comes before the first: all are found, and
    /// all others come.
    @Test(arguments: [[1], [7], [40], [1, 2, 3], [3, 17, 39], [10, 11, 30]] as [[UInt32]], [true, false])
    func `the search finds every bad message in a limited number of losses`(_ bad: [UInt32], _ streams: Bool)
    {
        var doubts: [MessageDoubt] = []
        var came: Set<UInt32> = []
        var losses = 0
        attempt: while losses < 100 {
            let wanted = (1...40).filter { !came.contains($0) }
            let groups = DoubtTable.groups(wanted, doubts, now: now)
            for group in [groups.ordinary] + groups.probes where !group.isEmpty {
                guard let first = group.sorted().first(where: bad.contains) else {
                    came.formUnion(group)
                    continue
                }
                if streams { came.formUnion(group.filter { $0 < first }) }
                let rest = group.filter { !came.contains($0) }
                let loss = InterruptedFetch(
                    uids: (rest.min() ?? 1)...(rest.max() ?? 1), isAlone: group.count == 1)
                doubts = DoubtTable.afterLoss(loss, doubts, .content, now: now)
                losses += 1
                continue attempt
            }
            break
        }
        #expect(came.sorted() == (1...40).filter { !bad.contains($0) })
        #expect(doubts.filter { !$0.isSuspicion }.map(\.uids.lowerBound).sorted() == bad)
        #expect(losses <= bad.count * 9)
    }

    @Test(arguments: [
        (UInt32(1)...UInt32.max, UInt32(8), Optional(UInt32(1)...7)), (8...UInt32.max, 8, nil),
        (3...5, 8, 3...5),
        (1...UInt32.max, 1, nil),
    ])
    func `an open range ends at the last UID`(
        _ uids: ClosedRange<UInt32>, _ next: UInt32, _ asked: ClosedRange<UInt32>?
    ) {
        #expect(SyncTable.asked(uids, uidNext: next) == asked)
        #expect(SyncTable.asked(uids, uidNext: nil) == uids)
    }
}
