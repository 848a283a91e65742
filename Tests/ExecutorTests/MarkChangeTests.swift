import Models
import Testing

@testable import Executor

/// When a mark is already there, and when it has yet to be made.
@Suite("Mark changes")
struct MarkChangeTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: MarkChange
        let flags: Set<Flag>
        let words: Set<Keyword>
        let holds: Bool
    }

    @Test(
        "a change is complete when all added marks are set and all removed ones are not",
        arguments: [
            Case(
                testDescription: "the flag is there", change: MarkChange(addFlags: [.seen]),
                flags: [.seen, .flagged], words: [], holds: true),
            Case(
                testDescription: "one of two flags is missing",
                change: MarkChange(addFlags: [.seen, .flagged]),
                flags: [.seen], words: [], holds: false),
            Case(
                testDescription: "the flag to remove is still there",
                change: MarkChange(removeFlags: [.flagged]),
                flags: [.flagged], words: [], holds: false),
            Case(
                testDescription: "the flag to remove is gone", change: MarkChange(removeFlags: [.flagged]),
                flags: [.seen], words: [], holds: true),
            Case(
                testDescription: "a keyword in other letters is the same keyword",
                change: MarkChange(addKeywords: [Keyword("Reading")]), flags: [], words: [Keyword("reading")],
                holds: true),
            Case(
                testDescription: "the keyword to remove is still there",
                change: MarkChange(removeKeywords: [Keyword("work")]), flags: [], words: [Keyword("WORK")],
                holds: false),
        ])
    func holds(_ row: Case) {
        let sighting = Sighting(flags: row.flags, keywords: row.words)
        #expect(row.change.holds(for: sighting) == row.holds)
    }
}
