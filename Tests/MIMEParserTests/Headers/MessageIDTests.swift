import Models
import Testing

@testable import MIMEParser

@Suite struct MessageIDTests {
    @Test("two fields with references are joined, each id once")
    func twoFields() {
        let mail = "References: <a@x.org> <b@x.org>\nSubject: x\nReferences: <b@x.org>\n <c@x.org>\n\n"
        let envelope = MIMEParser.parse(Array(mail.utf8)).envelope
        #expect(envelope.references.map(\.rawValue) == ["a@x.org", "b@x.org", "c@x.org"])
        let many = String(repeating: "References: <a@x.org>\n", count: 1_000)
        #expect(MIMEParser.parse(Array((many + "\n").utf8)).envelope.references.count == 1)
        let long = (0..<3).map { field in
            "References:" + (0..<900).map { " <\(field).\($0)@x>" }.joined() + "\n"
        }.joined()
        let bounded = MIMEParser.parse(Array((long + "\n").utf8)).envelope.references
        #expect(
            bounded.count == 1_000 && bounded.first?.rawValue == "0.0@x"
                && bounded.last?.rawValue == "2.899@x")
    }

    private func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    @Test(
        "ids in In-Reply-To are read",
        arguments: [
            ("one id", "<a@x.org>", ["a@x.org"]),
            ("two ids", "<a@x.org> <b@x.org>", ["a@x.org", "b@x.org"]),
            ("an id without @ is no id", "<yes>", []),
            (
                "a sentence with an address before the id",
                "Message from Ann <ann@x.org> of \"Thu, 05 Mar\" <199603051000.AA12@x.org>",
                ["199603051000.AA12@x.org"]
            ),
            ("an id with a comment", "<a@x.org> (Ann's message of Thu)", ["a@x.org"]),
            ("a sentence without an address", "Your message of \"Thu\" <a@x.org>", ["a@x.org"]),
            ("an address alone is no id", "ann@x.org", []),
            ("a bare id", "20260305.1234@x.org", ["20260305.1234@x.org"]),
            ("nothing", "", []),
        ])
    func inReplyTo(_ name: String, _ input: String, _ expected: [String]) {
        #expect(MessageIDs.inReplyTo(bytes(input)).map(\.rawValue) == expected, "\(name)")
    }

    @Test(
        "ids in References are read",
        arguments: [
            ("in order", "<a@x> <b@x>\r\n <c@x>", ["a@x", "b@x", "c@x"]),
            ("separated by commas", "<a@x>,<b@x>", ["a@x", "b@x"]),
            ("glued together", "<a@x><b@x>", ["a@x", "b@x"]),
            ("folded inside an id", "<very-long\r\n -id@x>", ["very-long-id@x"]),
            ("without brackets", "a@x b@x", ["a@x", "b@x"]),
            ("cut in the middle", "<a@x> <b@", ["a@x"]),
            ("an opening bracket too many", "<<a@x>", ["a@x"]),
            ("junk among them", "<> <no> <@x> <a@> <b@x>", ["b@x"]),
            ("inside a comment", "(<a@x>) <b@x>", ["b@x"]),
        ])
    func references(_ name: String, _ input: String, _ expected: [String]) {
        #expect(MessageIDs.references(bytes(input)).map(\.rawValue) == expected, "\(name)")
    }

    @Test("Message-ID is read with and without brackets", arguments: ["<a@x>", "a@x", " <a@x> junk", "<a@x"])
    func own(_ input: String) { #expect(MessageIDs.own(bytes(input))?.rawValue == "a@x") }

    @Test("of a long chain, the first and the last ids are kept")
    func bounded() {
        let ids = MessageIDs.references(bytes((0..<5_000).map { "<\($0)@x>" }.joined(separator: " ")))
        #expect(ids.count == MessageIDs.limit)
        #expect(ids.first?.rawValue == "0@x")
        #expect(ids.last?.rawValue == "4999@x")
    }
}
