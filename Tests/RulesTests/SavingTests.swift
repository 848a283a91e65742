import Models
import Testing

@testable import Rules

/// Which files of a message are saved, where, under which names, and when none is.
@Suite struct SavingTests {
    private static let files = [
        Models.Attachment(name: "Invoice 1.PDF", contentType: "application/pdf", size: 10, section: "2"),
        Models.Attachment(
            name: "../../logo.png", contentType: "image/png", size: 20, section: "3", isInline: true),
        Models.Attachment(name: ".notes", contentType: "text/plain", size: 30, section: "4"),
    ]

    private func evaluation(_ then: String, _ files: [Models.Attachment] = files) throws -> Evaluation {
        try actions(then, mail { $0.attachments = files })
    }

    private func saving(_ then: String, _ files: [Models.Attachment] = files) throws -> SavedFiles? {
        try evaluation(then, files).actions.compactMap { action in
            if case .make(.saveFiles(let saving)) = action { saving } else { nil }
        }.first
    }

    @Test(
        arguments: [
            ("save-attachment", ["Invoice 1.PDF", "notes"]),
            ("{ save-attachment: Papers/2026 }", ["Papers/2026/Invoice 1.PDF", "Papers/2026/notes"]),
            ("{ save-attachment: { to: P, name: '*.pdf' } }", ["P/Invoice 1.PDF"]),
            ("{ save-attachment: { type: image/* } }", ["logo.png"]),
            ("{ save-attachment: { name: ['*.png', .notes] } }", ["logo.png", "notes"]),
            ("{ save-attachment: { name: '*', type: [text/plain, image/png] } }", ["logo.png", "notes"]),
        ])
    func `files are chosen by pattern and saved under safe names, inline pictures only on request`(
        _ then: String, _ paths: [String]
    ) throws {
        #expect(try saving(then)?.paths == paths)
    }

    @Test func `a mail without a matching file is kept, with a warning`() throws {
        for (then, files) in [
            ("[save-attachment, archive]", []), ("[{ save-attachment: { name: x } }, archive]", Self.files),
        ] {
            let evaluation = try evaluation(then, files)
            #expect(evaluation.actions == [.keep], "\(then)")
            #expect(evaluation.warnings.count == 1)
        }
    }

    @Test func `too many or too large files are not saved, and the mail is kept`() throws {
        let many = (0...SavedFiles.mostFiles).map {
            Models.Attachment(name: "\($0)", contentType: "text/plain", size: 1, section: "\($0)")
        }
        #expect(try evaluation("[save-attachment, archive]", many).actions == [.keep])
        let large = Models.Attachment(
            name: "x", contentType: "text/plain", size: SavedFiles.largestFile + 1, section: "2")
        #expect(try evaluation("[save-attachment, archive]", [large]).actions == [.keep])
    }

    @Test(
        arguments: [
            ("a.pdf", 1, "a.pdf"), ("a.pdf", 2, "a (2).pdf"), ("a.tar.gz", 3, "a.tar (3).gz"),
            ("a", 2, "a (2)"),
        ])
    func `a used name gets a number before its extension`(
        _ name: String, _ number: Int, _ expected: String
    ) {
        #expect(SavedFiles.numbered(name, number) == expected)
    }

    @Test func `a rule test names the saved files`() throws {
        let text = """
            rules:
              - { id: r, when: '*', then: { save-attachment: Papers } }
            tests:
              - name: both
                mail: { attachments: [{ name: a.pdf, type: application/pdf }, { name: b.txt, type: text/plain }] }
                expect: { save-attachment: [Papers/a.pdf, Papers/b.txt] }
              - { name: none, mail: { subject: x }, expect: { save-attachment: none } }
              - { name: wrong, mail: { attachments: [{ name: a.pdf, type: a/b }] }, expect: { save-attachment: a.pdf } }
            """
        let results = try rules(text).runTests(context: context())
        #expect(results.map(\.passed) == [true, true, false])
        #expect(results.last?.detail == "save-attachment: expected 'a.pdf', got 'Papers/a.pdf'")
    }
}
