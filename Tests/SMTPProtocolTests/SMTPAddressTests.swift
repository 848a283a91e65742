import Testing

@testable import SMTPProtocol

@Suite struct SMTPAddressTests {
    @Test(arguments: [
        "ann@example.org", "ann+list@example.org", "a.b..c.@example.org", "\"ann lee\"@example.org",
        "\"a\\\"b\\\\\"@example.org", "\"a@b\"@example.org", "ann@[192.0.2.1]", "ann@[IPv6:2001:db8::1]",
        "zoë@exämple.org", "ann@localhost", "ann@my_host.example",
    ])
    func `valid addresses are accepted`(text: String) throws {
        #expect(try SMTPAddress(text).text == text)
    }

    @Test(arguments: [
        "", "ann", "@example.org", "ann@", "ann@ex ample.org", "ann lee@example.org",
        "ann@example.org\r\nRCPT TO:<eve@evil.example>", "ann\n@example.org", "ann\r@example.org",
        "ann\u{0}@example.org", "ann\u{7f}@example.org", "ann\u{85}@example.org", "ann\u{2028}@example.org",
        "ann\u{202e}@example.org", "ann\u{200b}@example.org", "ann@example.org> SIZE=1", "<ann@example.org>",
        "\"<ann>\"@example.org", "\"ann\"lee\"@example.org", "\"ann\\\"@example.org", "ann@example..org",
        "ann@.example.org", "ann@[]", "ann@[1.2.3.4", "ann@[1 2]", "ann,bob@example.org", "ann@a@b",
        "ann\t@example.org", "ann\u{a0}lee@example.org", "\"\"@example.org",
    ])
    func `an address with a second command or a disguise is refused`(text: String) {
        #expect(throws: SubmissionFailure.self) { try SMTPAddress(text) }
    }

    @Test func `lengths are limited`() throws {
        let local = String(repeating: "a", count: 64)
        let label = String(repeating: "b", count: 60)
        let domain = "\(label).\(label).\(label.dropLast(4)).example"
        _ = try SMTPAddress("\(local)@\(domain).zz")
        #expect(throws: SubmissionFailure.self) { try SMTPAddress("\(local)@\(domain).zzz") }
        // Some servers give out longer local parts than all servers must accept.
        _ = try SMTPAddress("a\(local)@example.org")
    }

    @Test func `an envelope has recipients, up to a limit`() throws {
        #expect(throws: SubmissionFailure.noRecipients) {
            try SMTPEnvelope(reversePath: "a@x.example", forwardPaths: [])
        }
        let many = (0...100).map { "r\($0)@x.example" }
        #expect(throws: SubmissionFailure.tooManyRecipients(actual: 101, maximum: 100)) {
            try SMTPEnvelope(reversePath: "a@x.example", forwardPaths: many)
        }
        #expect(try SMTPEnvelope(reversePath: "", forwardPaths: ["b@x.example"]).reversePath == nil)
    }

    @Test(arguments: [
        ("localhost", true), ("[127.0.0.1]", true), ("a b", false), ("a\r\nQUIT", false), ("", false),
    ])
    func `the argument of EHLO is one word`(name: String, isAllowed: Bool) {
        #expect(SMTPAddress.isHostName(name) == isAllowed)
    }
}
