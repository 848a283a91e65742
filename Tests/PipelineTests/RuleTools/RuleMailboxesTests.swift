import Accounts
import Models
import Testing

@testable import Pipeline

/// A mailbox with a new name, in all rule files.
@Suite("Renaming a mailbox in the rules")
struct RuleMailboxesTests {
    private static let rules = """
        rules-version: 1
        define: { old: 'in:Lists subject:Lists' }   # Lists
        protect:
          - kept: "in:Lists is:flagged"
        rules:
          - id: digest
            mailboxes: [inbox, Lists, Lists/Deep]
            when: subject:digest or in:lists
            unless: '"in:Lists" or from:lists@x.org'
            then: [{ label: Lists }, { move: 'lists' }]
        tests:
          - name: Lists
            mail: { from: a@x.org, subject: digest, in: Lists }
            expect: { rule: digest, move: lists }

        """

    private func renamed(_ old: String, _ new: String, in text: String = rules) throws -> (String, RuleEdit) {
        let work = try Workplace(rules: ["10.yaml": text, "20.yaml": "rules-version: 1\n"])
        let edit = try work.options().loadWorkspace().renaming(mailbox: old, to: new)
        try edit.write()
        return (try work.read("rules/10.yaml"), edit)
    }

    @Test("the name is changed wherever it is this mailbox, in any case, and nowhere else")
    func places() throws {
        let (text, edit) = try renamed("Lists", "News")
        #expect(edit.fileNames == ["rules/10.yaml"] && edit.notes.isEmpty)
        #expect(
            text == """
                rules-version: 1
                define: { old: 'in:News subject:Lists' }   # Lists
                protect:
                  - kept: "in:News is:flagged"
                rules:
                  - id: digest
                    mailboxes: [inbox, 'News', Lists/Deep]
                    when: subject:digest or in:News
                    unless: '"in:Lists" or from:lists@x.org'
                    then: [{ label: Lists }, { move: 'News' }]
                tests:
                  - name: Lists
                    mail: { from: a@x.org, subject: digest, in: 'News' }
                    expect: { rule: digest, move: 'News' }

                """)
    }

    @Test("a new name with blanks or special characters is quoted correctly")
    func quoting() throws {
        for name in ["Old News", "It's \"new\"", "Größe: 5", "#1", "a\\b"] {
            let (text, edit) = try renamed("Lists", name)
            try edit.check()
            let (back, _) = try renamed(name, "Lists", in: text)
            #expect(
                back.replacing("'", with: "").replacing("\"", with: "")
                    == Self.rules.replacing("'", with: "").replacing("\"", with: "")
                    .replacing("in:lists", with: "in:Lists").replacing("move: lists", with: "move: Lists"),
                "\(name)")
        }
    }

    @Test("a value of several lines is not changed, and is reported")
    func severalLines() throws {
        let text = """
            rules-version: 1
            rules:
              - id: a
                when: >-
                  subject:digest
                  in:Lists
                then: archive

            """
        let (after, edit) = try renamed("Lists", "News", in: text)
        #expect(after == text && edit.isEmpty)
        #expect(edit.notes == ["rules/10.yaml:4: the value spans several lines; change it by hand"])
    }

    @Test("renaming a mailbox that no rule names changes nothing")
    func nothing() throws {
        let (text, edit) = try renamed("Nowhere", "News")
        #expect(edit.isEmpty && edit.notes.isEmpty && text == Self.rules)
    }

    @Test("an invalid name of a mailbox is refused")
    func badNames() throws {
        for (old, new) in [
            ("", "News"), ("Lists", ""), ("Lists", "a\nb"), ("Lists", String(repeating: "a", count: 501)),
        ] {
            #expect(TriageTests.refusal { try renamed(old, new) } == "bad-mailbox 64")
        }
    }
}
