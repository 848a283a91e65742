import Models
import Testing

@testable import Executor

/// The table over both ends of a move that nothing proved.
@Suite("Move verdict")
struct MoveVerdictTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let inSource: Bool
        /// UID, header, time, size.
        let found: [(UInt32, String, Int64, Int)]
        let firstNew: UInt32?
        let verdict: String
    }

    @Test(
        "each case of the table has its verdict",
        arguments: [
            Row(
                testDescription: "nothing happened", inSource: true, found: [], firstNew: 5,
                verdict: "notApplied"),
            Row(
                testDescription: "it arrived", inSource: false, found: [(7, "h", 1, 9)], firstNew: 5,
                verdict: "confirmed 7"),
            Row(
                testDescription: "copied, not removed", inSource: true, found: [(7, "h", 1, 9)], firstNew: 5,
                verdict: "partial 7"),
            Row(testDescription: "nowhere", inSource: false, found: [], firstNew: 5, verdict: "elsewhere"),
            Row(
                testDescription: "what stood there before is no arrival", inSource: true,
                found: [(4, "h", 1, 9)], firstNew: 5, verdict: "notApplied"),
            Row(
                testDescription: "what stood there before does not prove a loss away", inSource: false,
                found: [(4, "h", 1, 9)], firstNew: 5, verdict: "elsewhere"),
            Row(
                testDescription: "the first new UID counts as new", inSource: false, found: [(5, "h", 1, 9)],
                firstNew: 5, verdict: "confirmed 5"),
            Row(
                testDescription: "another header is another message", inSource: false,
                found: [(7, "other", 1, 9)], firstNew: 5, verdict: "elsewhere"),
            Row(
                testDescription: "without a first UID all count", inSource: false, found: [(4, "h", 1, 9)],
                firstNew: nil, verdict: "confirmed 4"),
            Row(
                testDescription: "a Maildir has no UIDs", inSource: false, found: [(0, "h", 1, 9)],
                firstNew: 5,
                verdict: "confirmed 0"),
            Row(
                testDescription: "of two, the one with the same time and size", inSource: false,
                found: [(6, "h", 3, 9), (7, "h", 1, 9)], firstNew: 5, verdict: "confirmed 7"),
            Row(
                testDescription: "of two in both places, too", inSource: true,
                found: [(6, "h", 1, 8), (7, "h", 1, 9)], firstNew: 5, verdict: "partial 7"),
            Row(
                testDescription: "two alike cannot be told apart", inSource: false,
                found: [(6, "h", 1, 9), (7, "h", 1, 9)], firstNew: 5, verdict: "ambiguous"),
            Row(
                testDescription: "two that are both unlike neither", inSource: true,
                found: [(6, "h", 2, 9), (7, "h", 3, 9)], firstNew: 5, verdict: "ambiguous"),
        ])
    func table(_ row: Row) {
        let found = row.found.map { uid, header, received, size in
            FoundMessage(
                uidValidity: 7, uid: uid, header: Array("\(header): x\n".utf8),
                received: Timestamp(seconds: received), size: size)
        }
        let verdict = MoveVerdict.judge(
            inSource: row.inSource, found: found,
            original: .init(header: Array("h: x\n".utf8), received: Timestamp(seconds: 1), size: 9),
            firstNew: row.firstNew)
        #expect(Self.text(verdict) == row.verdict)
    }

    private static func text(_ verdict: MoveVerdict) -> String {
        switch verdict {
        case .notApplied: "notApplied"
        case .confirmed(let found): "confirmed \(found.uid)"
        case .partial(let found): "partial \(found.uid)"
        case .elsewhere: "elsewhere"
        case .ambiguous: "ambiguous"
        }
    }
}
