import Models
import Testing

@testable import TodoCalendar

/// Notes, priority, contexts, contact and relations, set by a patch.
@Suite struct PatchWordsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var before: [String]
        var patch: TodoPatch
        /// Lines that only the patched file has, without bookkeeping.
        var new: [String]
        /// Lines that only the file before had.
        var gone: [String]

        init(
            _ name: String, _ before: [String], new: [String] = [], gone: [String] = [],
            _ change: (inout TodoPatch) -> Void
        ) {
            testDescription = name
            self.before = before
            patch = TodoPatch()
            change(&patch)
            self.new = new
            self.gone = gone
        }
    }

    static let link = "Mail: <mid:abc@example.org>"

    @Test(arguments: [
        Case("a priority", [], new: ["PRIORITY:1"]) { $0.priority = 1 },
        Case("no priority any more", ["PRIORITY:5"], gone: ["PRIORITY:5"]) { $0.priority = 0 },
        Case("notes", [], new: ["DESCRIPTION:Ring twice"]) { $0.notes = "Ring twice" },
        Case(
            "new notes keep the link to the mail", ["X-OPUS-MESSAGE-ID:abc@example.org", "DESCRIPTION:Old"],
            new: ["DESCRIPTION:New\\n\\nMail: <mid:abc@example.org>"], gone: ["DESCRIPTION:Old"]
        ) { $0.notes = "New" },
        Case(
            "notes with the answer to a wait are no link to the mail", [],
            new: ["DESCRIPTION:Wait: answered 2026-03-10 by Bob: <mid:a@example.org>"]
        ) { $0.notes = "Wait: answered 2026-03-10 by Bob: <mid:a@example.org>" },
        Case("notes with a link to the mail", [], new: ["DESCRIPTION:See <mid:a@example.org>"]) {
            $0.notes = "See <mid:a@example.org>"
        },
        Case("no notes any more", ["DESCRIPTION:Old"], gone: ["DESCRIPTION:Old"]) { $0.notes = "" },
        Case(
            "contexts, and again where todoman does not lose them", [],
            new: ["CATEGORIES:@home,red", #"X-OPUS-CONTEXT:@home\,red"#]
        ) { $0.categories = ["@home", "red"] },
        Case(
            "two lines of contexts become one", ["CATEGORIES:a", "CATEGORIES:b"],
            new: ["CATEGORIES:a,c", #"X-OPUS-CONTEXT:a\,c"#], gone: ["CATEGORIES:a", "CATEGORIES:b"]
        ) { $0.categories = ["a", "c"] },
        Case(
            "no contexts any more", ["CATEGORIES:a", "X-OPUS-CONTEXT:a,b"],
            gone: ["CATEGORIES:a", "X-OPUS-CONTEXT:a,b"]
        ) { $0.categories = [] },
        Case(
            "contexts that only our own line has are written for everybody", [#"X-OPUS-CONTEXT:a\,b"#],
            new: ["CATEGORIES:a,b"]
        ) { $0.categories = ["a", "b"] },
        Case("a contact", [], new: ["CONTACT:Ann"]) { $0.contact = "Ann" },
        Case("a parent", [], new: ["RELATED-TO;RELTYPE=PARENT:p1"]) { $0.parent = TodoID("p1") },
        Case(
            "another parent in place of the first", ["RELATED-TO:p0", "RELATED-TO;RELTYPE=SIBLING:s1"],
            new: ["RELATED-TO;RELTYPE=PARENT:p1"], gone: ["RELATED-TO:p0"]
        ) { $0.parent = TodoID("p1") },
        Case(
            "no parent any more, other relations stay",
            ["RELATED-TO;RELTYPE=PARENT:p0", "RELATED-TO;RELTYPE=DEPENDS-ON:d1"],
            gone: ["RELATED-TO;RELTYPE=PARENT:p0"]
        ) { $0.clears = [.parent] },
        Case("blocked by another", [], new: ["RELATED-TO;RELTYPE=DEPENDS-ON:d1"]) {
            $0.dependsOn = [TodoID("d1")]
        },
        Case(
            "one blocker goes, one comes, one keeps its gap",
            ["RELATED-TO;RELTYPE=DEPENDS-ON:d1", "RELATED-TO;RELTYPE=DEPENDS-ON;GAP=P1D:d2"],
            new: ["RELATED-TO;RELTYPE=DEPENDS-ON:d3"], gone: ["RELATED-TO;RELTYPE=DEPENDS-ON:d1"]
        ) { $0.dependsOn = [TodoID("d2"), TodoID("d3")] },
        Case("no due date any more", ["DUE;VALUE=DATE:20260401"], gone: ["DUE;VALUE=DATE:20260401"]) {
            $0.clears = [.due]
        },
        Case(
            "no start any more", ["DTSTART;VALUE=DATE:20260401", "DURATION:P1D"],
            gone: ["DTSTART;VALUE=DATE:20260401", "DURATION:P1D"]
        ) { $0.clears = [.start] },
        Case(
            "another due date without the start before it",
            ["DTSTART;VALUE=DATE:20260401", "DUE;VALUE=DATE:20260402"],
            new: ["DUE;VALUE=DATE:20260301"],
            gone: ["DTSTART;VALUE=DATE:20260401", "DUE;VALUE=DATE:20260402"]
        ) {
            $0.due = TodoDate("2026-03-01")
            $0.clears = [.start]
        },
    ])
    func `only the lines of changed properties change`(_ example: Case) throws {
        let bytes = Samples.task(example.before.joined(separator: "\r\n"))
        let patched = try VTodoPatcher.apply(example.patch, to: bytes, now: Samples.now + 3_600)
        let before = try Samples.rawLines(bytes).map { $0.replacing("\r\n", with: "") }
        let after = try Samples.rawLines(patched).map { $0.replacing("\r\n", with: "") }
        let bookkeeping = ["DTSTAMP", "LAST-MODIFIED", "SEQUENCE"]
        let isOurs = { (line: String) in !bookkeeping.contains { line.hasPrefix($0) } }
        #expect(after.filter { !before.contains($0) && isOurs($0) } == example.new)
        #expect(before.filter { !after.contains($0) && isOurs($0) } == example.gone)
        // The same patch again finds it so.
        #expect(try VTodoPatcher.apply(example.patch, to: patched, now: Samples.now + 7_200) == patched)
    }

    @Test func `a new task has its parent first, and each blocker once`() throws {
        var todo = Todo(id: TodoID("t"), list: .next, summary: "Paint")
        todo.parent = TodoID("house")
        todo.dependsOn = [TodoID("clean"), TodoID("buy")]
        let bytes = try VTodoWriter.new(todo, now: Samples.now)
        let relations = try Samples.rawLines(bytes).filter { $0.hasPrefix("RELATED-TO") }
        #expect(
            relations == [
                "RELATED-TO;RELTYPE=PARENT:house\r\n", "RELATED-TO;RELTYPE=DEPENDS-ON:clean\r\n",
                "RELATED-TO;RELTYPE=DEPENDS-ON:buy\r\n",
            ])
        #expect(try Samples.read(bytes).dependsOn == todo.dependsOn)
        #expect(try Samples.read(bytes).parent == todo.parent)
    }
}
