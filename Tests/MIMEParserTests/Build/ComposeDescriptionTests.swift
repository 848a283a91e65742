import Foundation
import Models
import Testing

@testable import MIMEParser

@Suite struct ComposeDescriptionTests {
    static func read(_ json: String) throws -> ComposeDescription {
        do {
            return try JSONDecoder().decode(ComposeDescription.self, from: Data(json.utf8))
        } catch let error as DecodingError { throw BuilderError(error) }
    }

    static let full = """
        {"from": "Ana <ana@example.org>", "sender": {"address": "desk@example.org"}, "replyTo": ["r@example.org"],
         "to": [{"name": "Büro, Bob", "address": "bob@bücher.example"}], "cc": ["c@x.org"], "bcc": ["d@x.org"],
         "subject": "Grüße", "date": "2026-03-05T10:00:00+01:00", "messageID": "<m1@example.org>",
         "inReplyTo": "p@x.org", "references": ["a@x.org", "<p@x.org>"], "autoSubmitted": "auto-generated",
         "headers": [{"name": "X-A", "body": "b"}], "text": "Hi.\\n", "html": "<p>Hi.", "flowed": false,
         "inline": [{"contentID": "i@x", "name": "i.png", "contentType": "image/png", "base64": "AAEC"}],
         "attachments": [{"name": "ü.txt", "contentType": "text/plain", "text": "ü"}, {"name": "b", "base64": ""}],
         "messages": [{"text": "Subject: inner\\n\\nx"}], "draft": true}
        """

    @Test("every key of a description is used in the message")
    func all() throws {
        let bytes = try Self.read(Self.full).message()
        Wire.check(bytes)
        let read = MIMEParser.parse(bytes)
        let envelope = read.envelope
        #expect(envelope.from.map(\.description) == ["Ana <ana@example.org>"])
        #expect(envelope.sender.map(\.addrSpec) == ["desk@example.org"])
        #expect(envelope.replyTo.map(\.addrSpec) == ["r@example.org"])
        #expect(envelope.to.map(\.description) == ["Büro, Bob <bob@xn--bcher-kva.example>"])
        #expect(envelope.cc.map(\.addrSpec) == ["c@x.org"])
        #expect(envelope.bcc.map(\.addrSpec) == ["d@x.org"])
        #expect(envelope.subject == "Grüße")
        #expect(read.header("Date") == ["Thu, 05 Mar 2026 10:00:00 +0100"])
        #expect(envelope.messageID == MessageID("m1@example.org"))
        #expect(envelope.inReplyTo == [MessageID("p@x.org")])
        #expect(envelope.references == [MessageID("a@x.org"), MessageID("p@x.org")])
        #expect(read.header("Auto-Submitted") == ["auto-generated"])
        #expect(read.header("X-A") == ["b"])
        #expect(
            BuildNestingTests.tree(bytes)
                == "mixed(alternative(text/plain related(text/html image/png)) message(text/plain) "
                + "text/plain application/octet-stream)")
        #expect(read.attachments.map(\.name) == ["i.png", "inner.eml", "ü.txt", "b"])
    }

    @Test("a missing message id is derived from seed, date and domain")
    func seed() throws {
        func id(_ seed: String) throws -> MessageID? {
            let json = #"{"from":"a@x.org","date":"2026-03-05T10:00:00Z","seed":"\#(seed)"}"#
            return MIMEParser.parse(try Self.read(json).message()).envelope.messageID
        }
        #expect(try id("1") == id("1"))
        #expect(try id("1") != id("2"))
        #expect(try id("1")?.rawValue.hasSuffix("@x.org") == true)
    }

    static let head = #""from":"a@x.org","date":"2026-03-05T10:00:00Z""#

    @Test(
        "an invalid description is refused with its place and advice",
        arguments: [
            ("{}", "from is missing: a description needs it"),
            (#"{"from":"a@x.org"}"#, "date is missing: write it as 2026-03-05T10:00:00+01:00"),
            (#"{"from":"a b"}"#, #"from: "a b" is not one mail address: write it as Ana <ana@example.org>"#),
            (
                #"{\#(head),"to":["b@x.org","c@x.org, d@x.org"]}"#,
                "to[1]: \"c@x.org, d@x.org\" is not one mail address"
            ),
            (
                #"{\#(head),"to":["b@x.org",{"address":"a b@x.org"}]}"#,
                "to[1] holds \"a b@x.org\", which is not a mail address"
            ),
            (
                #"{\#(head),"cc":[{"name":"x\ny","address":"a@x.org"}]}"#,
                #"cc[0] holds a line break (\n) at byte 1"#
            ),
            (#"{\#(head),"subjcet":"x"}"#, "subjcet: no such key; there are from, sender,"),
            (#"{\#(head),"subject":"a\r\nBcc: b@x.org"}"#, #"subject holds a line break (\r) at byte 1"#),
            (#"{\#(head),"subject":"a\u0000"}"#, #"subject holds a NUL (\0) at byte 1"#),
            (#"{"from":"a@x.org","date":"yesterday"}"#, #"date: "yesterday" is not a time: write it as 20"#),
            (#"{\#(head),"messageID":"x"}"#, #"messageID holds "x", which is not a message id"#),
            (#"{\#(head),"references":["a@x","b"]}"#, #"references[1] holds "b", which is not a message id"#),
            (
                #"{\#(head),"headers":[{"name":"Bcc","body":"x"}]}"#,
                "headers[0] is a field that opus writes itself"
            ),
            (#"{\#(head),"headers":[{"name":"X-A","body":"x\n"}]}"#, "headers[0] holds a line break"),
            (
                #"{\#(head),"attachments":[{"name":"a"}]}"#,
                #"attachments[0] is missing: give its bytes as "base64""#
            ),
            (#"{\#(head),"attachments":[{"base64":"AA==","nmae":"a"}]}"#, "attachments[0].nmae: no such key"),
            (
                #"{\#(head),"attachments":[{"base64":"A!=="}]}"#,
                "attachments[0].base64 is not base64 from byte 1 on"
            ),
            (
                #"{\#(head),"attachments":[{"base64":"AA=A"}]}"#,
                "attachments[0].base64 is not base64 from byte 3 on"
            ),
            (
                #"{\#(head),"attachments":[{"base64":"AAA"}]}"#,
                "attachments[0].base64 is not base64 from byte 3 on"
            ),
            (
                #"{\#(head),"attachments":[{"text":"","contentType":"x"}]}"#,
                "attachments[0].contentType holds \"x\""
            ),
            (
                #"{\#(head),"attachments":[{"text":"","name":"a\tb"}]}"#,
                #"attachments[0].name holds a control character (\x09)"#
            ),
            (#"{\#(head),"inline":[{"text":""}]}"#, "inline[0].contentID is missing"),
            (#"{\#(head),"inline":[{"text":"","contentID":"a>"}]}"#, "inline[0].contentID holds \"a>\""),
            (
                #"{\#(head),"inline":[{"text":"","contentID":"a"},{"text":"","contentID":"a"}]}"#,
                "inline[1].contentID holds \"a\" twice"
            ),
            (#"{\#(head),"messages":[{}]}"#, "messages[0] is missing"),
            (#"{\#(head),"autoSubmitted":"yes"}"#, "autoSubmitted: "),
            (#"{\#(head),"to":"b@x.org"}"#, "to: "),
        ])
    func wrong(_ json: String, _ words: String) {
        let error = #expect(throws: BuilderError.self) { try Self.read(json).message() }
        #expect(error?.description.hasPrefix(words) == true, "\(error?.description ?? "no error")")
    }
}
