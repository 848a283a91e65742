import Foundation
import MailStore
import Models
import Rules
import Testing
import YAMLSource

@testable import Pipeline

@Suite("Tools of the rules")
struct RuleToolTests {
    // MARK: What a rule says

    private static func digests(
        _ rules: String, head: String = "", lists: [String: String] = [:]
    ) -> [String: RuleDigest] {
        let sources = [
            RuleSet.Source(file: "a.yaml", text: "rules-version: 1\n" + head + "rules:\n" + rules)
        ]
        let compiled = RuleSet.compile(sources, accounts: [], own: [], readList: { lists[$0] })
        return RuleDigests.of(
            RuleLibrary(
                rules: compiled.rules, diagnostics: compiled.diagnostics, digest: "", sources: sources,
                listTexts: lists))
    }

    @Test("a rule counts as changed if its list, definition or referenced rule changed, even indirectly")
    func references() throws {
        let head =
            "lists: { vip: { file: vip.txt }, other: [b@x.org] }\ndefine: { mine: 'from:@vip', far: 'is:mine' }\n"
        let rule = "  - { id: a, when: 'is:far', then: flag }\n  - { id: b, when: 'matched:a', then: flag }\n"
        let plain = "  - { id: c, when: 'subject:x', then: flag }\n"
        let digests = { (head: String, list: String) in
            Self.digests(rule + plain, head: head, lists: ["vip.txt": list])
        }
        let before = digests(head, "ana@x.org\n")
        #expect(before["a"]?.refers == true && before["b"]?.refers == true && before["c"]?.refers == false)
        #expect(digests(head, "# friends\n\nana@x.org") == before, "comments and blank lines are no entries")
        #expect(
            digests(head.replacing("b@x.org", with: "c@x.org"), "ana@x.org\n") == before, "nobody asks for it"
        )
        for after in [
            digests(head, "ana@x.org\nbob@x.org\n"),
            digests(head.replacing("'is:mine'", with: "'-is:mine'"), "ana@x.org\n"),
        ] {
            for id in ["a", "b"] {
                let kept = try #require(before[id])
                let now = try #require(after[id])
                #expect(now.change(since: kept.whole) == .changed && now.own == kept.own)
                #expect(now.change(since: kept.own) == .unknown, "a run of an earlier version kept only this")
                #expect(now.change(since: kept.kept) == .changed)
                let isOfList = now.text == kept.text
                #expect(now.saysTheSame(as: kept.kept) == isOfList, "an address more is no other rule")
            }
            #expect(after["c"] == before["c"])
        }
        let rest = try #require(before["c"])
        #expect(rest.change(since: rest.whole) == .same && rest.change(since: rest.own) == .same)
        #expect(rest.change(since: rest.kept) == .same && rest.saysTheSame(as: rest.kept))
        #expect(rest.saysTheSame(as: rest.whole) && !rest.saysTheSame(as: "3:0f:2:0f"))
        #expect(rest.change(since: "0f") == .changed && rest.change(since: "2:0f") == .changed)
    }

    static let rule = "  - { id: a, when: { from: x@y.z, subject: b }, then: [flag, archive] }\n"

    @Test(
        "layout, comments, the order of keys and the description do not change the digest of a rule",
        arguments: [
            "  - id: a\n    description: d\n    when: { subject: 'b', from: \"x@y.z\" }   # c\n    then:\n      - flag\n      - archive\n",
            "  - choose: [{ id: a, then: [flag, archive], when: { from: x@y.z, subject: b } }]\n",
        ])
    func sameRule(text: String) { #expect(Self.digests(text) == Self.digests(Self.rule)) }

    @Test(
        "any other change of a rule changes its digest",
        arguments: [
            ("subject: b", "subject: c"), ("[flag, archive]", "[archive, flag]"),
            ("flag, archive", "archive"),
            ("then:", "stop: true, then:"),
        ])
    func otherRule(change: (String, String)) {
        let other = Self.digests(Self.rule.replacing(change.0, with: change.1))
        #expect(other["a"] != nil && other != Self.digests(Self.rule))
    }

    // MARK: Revisions

    @Test(
        "names of commits are accepted as revisions",
        arguments: ["HEAD", "HEAD~3", "main", "v1.2", "origin/main", "main@{1 day ago}", "früh", "a^"])
    func revisions(text: String) { #expect(RuleSource.isRevision(text)) }

    @Test(
        "text that git could misread is refused as a revision",
        arguments: [
            "", "-x", "--upload-pack=x", "HEAD:rules", "a\nb", "a;b", "$(x)", "a\\b", "a*",
            String(repeating: "a", count: 201),
        ])
    func noRevisions(text: String) { #expect(!RuleSource.isRevision(text)) }

    // MARK: Diffs

    @Test("a diff has three lines around each change, and joins near changes")
    func lineDiff() {
        let old = (1...20).map { "\($0)" }
        var new = old
        new[4] = "five"
        new.insert("after ten", at: 10)
        new.removeLast()
        let diff = LineDiff(old: old.joined(separator: "\n") + "\n", new: new.joined(separator: "\n") + "\n")
        #expect(
            diff.unified(from: "a", to: "b") == """
                --- a
                +++ b
                @@ -2,12 +2,13 @@
                 2
                 3
                 4
                -5
                +five
                 6
                 7
                 8
                 9
                 10
                +after ten
                 11
                 12
                 13
                @@ -17,4 +18,3 @@
                 17
                 18
                 19
                -20

                """)
        #expect(LineDiff(old: "a\n", new: "a\n").unified(from: "a", to: "a").isEmpty)
        #expect(
            LineDiff(old: "", new: "a\n").unified(from: "/dev/null", to: "b")
                == "--- /dev/null\n+++ b\n@@ -0,0 +1,1 @@\n+a\n")
    }

    // MARK: Writing

    @Test("a file changed in the meantime is not replaced, and no temporary file remains")
    func concurrentEdit() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/opus-edit-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/a.yaml"
        try Data("theirs".utf8).write(to: URL(filePath: path))
        #expect(throws: Problem.self) { try AtomicFile.replace(path, old: "old", new: "new") }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "theirs")
        try AtomicFile.replace(path, old: "theirs", new: "new")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.yaml"])
    }

    // MARK: Comparing

    @Test("each message is judged by both versions as it was when it arrived")
    func comparing() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "Invoice 2", flags: [.seen, .flagged])
        try work.write(
            "rules-version: 1\nrules:\n  - { id: pay, when: is:unread subject:invoice, then: flag }\n",
            to: "old/a.yaml")
        try await work.run()
        try await work.with { session in
            let request = RuleComparisonRequest(old: "old")
            let found = try session.rules.diff(request, directory: work.root)
            #expect(found.messages == 2 && found.different == 2)
            #expect(found.rules.first { $0.rule == "pay" }?.changed.count == 2)
            var now = request
            now.asOfToday = true
            #expect(
                try session.rules.diff(now, directory: work.root).rules.first { $0.rule == "pay" }?.gained
                    .count == 2)
        }
    }

    @Test("a run stores the digest of each rule that acted")
    func ruleVersions() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "Hello")
        let morning = try await work.run()
        let run = try #require(morning.reports.first?.run)
        try await work.with { session in
            let digest = try session.store.rules.ruleDigest("pay", in: run)
            #expect(digest == RuleDigests.of(RuleLibrary.load(session.workspace))["pay"]?.kept)
            #expect(digest != nil)
            #expect(try session.store.rules.ruleDigest("ask", in: run) == nil)
        }
    }
}
