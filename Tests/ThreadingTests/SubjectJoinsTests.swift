import Models
import TestSupport
import Testing

@testable import Threading

/// Which threads of one subject are shown as one.
@Suite("Threads joined by subject")
struct SubjectJoinsTests {
    private static let day: Int64 = 86_400

    /// `name`: `r` in front is a reply, `x` behind names another message.
    private static func thread(_ name: String, _ days: Double...) -> ThreadOfSubject {
        ThreadOfSubject(
            thread: ThreadID(rawValue: name), isReply: name.hasPrefix("r"), isPlain: !name.hasSuffix("x"),
            dates: days.map { Timestamp(seconds: 1_000_000_000 + Int64($0 * 86_400)) })
    }

    private static func groups(
        _ threads: [ThreadOfSubject], joinsAll: Bool = false, days: Int64 = 30
    ) -> [[String]] {
        let names = SubjectJoins.groups(threads, joinsAll: joinsAll, window: days * day)
        for (thread, name) in names { #expect(names[name] == name, "\(thread)") }
        return Dictionary(grouping: names.keys, by: { names[$0] }).values
            .map { $0.map(\.rawValue).sorted() }.sorted { $0[0] < $1[0] }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var threads: [ThreadOfSubject]
        var strict = false
        var groups: [[String]]
    }

    static let cases = [
        Case(
            testDescription: "a reply joins what it answers", threads: [thread("a", 0), thread("r", 3)],
            groups: [["a", "r"]]),
        Case(
            testDescription: "two that are no replies do not join",
            threads: [thread("a", 0), thread("b", 3)], groups: []),
        Case(
            testDescription: "unless subjects are enough", threads: [thread("a", 0), thread("b", 3)],
            strict: true, groups: [["a", "b"]]),
        Case(
            testDescription: "thirty-one days are too many", threads: [thread("a", 0), thread("r", 31)],
            groups: []),
        Case(
            testDescription: "they are also too many for equal subjects",
            threads: [thread("a", 0), thread("b", 31)], strict: true, groups: []),
        Case(
            testDescription: "the nearest message counts, not the first",
            threads: [thread("a", 0, 25, 50), thread("r", 70)],
            groups: [["a", "r"]]),
        Case(
            testDescription: "a reply joins the thread before it and not the one before that",
            threads: [thread("a", 0), thread("b", 3), thread("r", 4)], groups: [["b", "r"]]),
        Case(
            testDescription: "a reply that is dated before it joins what follows",
            threads: [thread("r", 0), thread("a", 1)], groups: [["a", "r"]]),
        Case(
            testDescription: "two replies of the same second join what both answer",
            threads: [thread("a", 0), thread("r1", 1), thread("r2", 1), thread("r3", 1, 2)],
            groups: [["a", "r1", "r2", "r3"]]),
        Case(
            testDescription: "a reply joins what it answers in the same second, and not the reply beside it",
            threads: [thread("r1", 1), thread("r2", 1), thread("s", 1)], groups: [["r1", "r2", "s"]]),
        Case(
            testDescription: "two replies without the message that they answer",
            threads: [thread("r1", 0), thread("r2", 1)], groups: [["r1", "r2"]]),
        Case(
            testDescription: "a reply to a missing message joins one that names nothing",
            threads: [thread("a", 0), thread("rx", 1)], groups: [["a", "rx"]]),
        Case(
            testDescription: "two that name other messages do not join",
            threads: [thread("ax", 0), thread("rx", 1)], groups: []),
        Case(
            testDescription: "nor does one pass over a nearer one",
            threads: [thread("a", 0), thread("bx", 1), thread("rx", 2)], groups: [["a", "rx"]]),
    ]

    @Test("the expected threads are joined by subject, in either order", arguments: cases)
    func joins(_ row: Case) {
        #expect(Self.groups(row.threads, joinsAll: row.strict) == row.groups)
        #expect(Self.groups(row.threads.reversed(), joinsAll: row.strict) == row.groups)
    }

    @Test("the order in which threads are read does not matter", arguments: 1...30)
    func anyOrder(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let threads = (0..<40).map { number in
            ThreadOfSubject(
                thread: ThreadID(rawValue: "t\(number)"), isReply: Bool.random(using: &random),
                isPlain: Int.random(in: 0..<4, using: &random) > 0,
                dates: (0...Int.random(in: 0...2, using: &random)).map { _ in
                    Timestamp(seconds: Int64.random(in: 0...900, using: &random) * Self.day)
                })
        }
        let found = SubjectJoins.groups(threads, window: 30 * Self.day)
        #expect(!found.isEmpty)
        #expect(SubjectJoins.groups(threads.shuffled(using: &random), window: 30 * Self.day) == found)
    }

    @Test("thousands of replies with one subject are not joined into one conversation")
    func endless() {
        let many = (0...SubjectJoins.longest).map { Self.thread("r\($0)", Double($0) / 100) }
        #expect(Self.groups(many).isEmpty)
        #expect(Self.groups(many.dropLast()).count == 1)
    }
}
