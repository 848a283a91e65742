import Accounts
import Foundation
import HTTPClient
import MIMEParser
import Models
import Testing

@testable import Pipeline

/// What a file is, by its name.
@Suite struct MediaTypesTests {
    private let types = MediaTypes(
        globs2: """
            # a comment
            50:application/gzip:*.gz
            50:application/x-compressed-tar:*.tar.gz
            60:text/x-heavy:*.dat
            40:text/x-light:*.dat
            50:text/x-makefile:makefile
            50:text/x-c++src:*.C:cs
            50:text/x-csrc:*.c:cs
            50:text/x-readme:README*
            broken line
            """)

    @Test(arguments: [
        ("a.gz", "application/gzip"), ("a.b.tar.gz", "application/x-compressed-tar"),
        ("A.TAR.GZ", "application/x-compressed-tar"),
        ("x.dat", "text/x-heavy"), ("Makefile", "text/x-makefile"), ("x.C", "text/x-c++src"),
        ("x.c", "text/x-csrc"),
        ("README.first", "text/x-readme"), ("folder/x.gz", "application/gzip"),
        ("none", "application/octet-stream"),
        ("x.unknown", "application/octet-stream"), ("x.pdf", "application/pdf"),
    ])
    func `the glob with the greatest weight decides, then the longest`(name: String, type: String) {
        #expect(types.type(of: name) == type)
    }

    @Test func `without the desktop's table, common types are known`() {
        let bare = MediaTypes(globs2: "")
        #expect(bare.type(of: "a.PDF") == "application/pdf")
        #expect(bare.type(of: "a") == "application/octet-stream")
    }
}

/// How much may be sent.
@Suite struct SendLimitsTests {
    private let now = Timestamp(seconds: 1_773_127_800)
    private let zone = ZoneClock(zone: "UTC")

    private func check(
        _ mails: [[String]], sent: [SentMail] = [], _ change: (inout SendSettings) -> Void = { _ in }
    )
        -> String?
    {
        var settings = SendSettings()
        change(&settings)
        do {
            try SendLimits(settings).check(mails.count, sent: sent, now: now, zone: zone)
            return nil
        } catch { return error.message }
    }

    @Test func `only as many mails as the limit allows may be sent`() {
        #expect(check((0..<20).map { ["a\($0)@x.example"] }) == nil)
        #expect(check((0..<21).map { ["a\($0)@x.example"] })?.contains("max-per-run: 20") == true)
    }

    @Test func `mail sent within the hour counts, older mail does not`() {
        let recent = (0..<60).map { SentMail(at: now - Int64($0 * 59), recipients: ["b\($0)@x.example"]) }
        #expect(check([["a@x.example"]], sent: recent)?.contains("max-per-hour: 60") == true)
        #expect(
            check(
                [["a@x.example"]], sent: recent.map { SentMail(at: $0.at - 3_600, recipients: $0.recipients) }
            ) == nil)
    }

    @Test func `the user can send any number of mails to one address`() {
        let sent = (0..<9).map { SentMail(at: now - Int64($0), recipients: ["a@x.example"]) }
        #expect(check([["a@x.example"]], sent: sent) == nil)
    }
}

/// The ways out of a list.
@Suite struct ListUnsubscribeTests {
    private func ways(_ header: String) -> ListUnsubscribe {
        ListUnsubscribe(MIMEParser.parse(Array("From: a@x.example\r\n\(header)\r\n\r\n".utf8)))
    }

    @Test func `one click is preferred to mail, and mail to a page`() throws {
        let list = ways(
            "List-Unsubscribe: <mailto:out@x.example>,\r\n <https://x.example/u>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click"
        )
        #expect(list.ways.first == .post(try #require(WebAddress("https://x.example/u"))))
        #expect(
            ways("List-Unsubscribe: <https://x.example/u>, <mailto:out@x.example>").ways
                == [
                    .mail(to: "out@x.example", subject: "unsubscribe", body: ""),
                    .page("https://x.example/u"),
                ])
    }

    @Test func `plain http, other schemes and invalid addresses are refused`() {
        let list = ways(
            "List-Unsubscribe: <http://x.example/u>, <javascript:alert(1)>, <https://a@x.example/>, <https:///u>, <mailto:>\r\n"
                + "List-Unsubscribe-Post: List-Unsubscribe=One-Click")
        #expect(list.ways.isEmpty)
        #expect(list.refused.count == 5)
    }

    @Test func `a mailto address may set the subject, but no other field`() {
        #expect(
            ways(
                "List-Unsubscribe: <mailto:out@x.example?subject=a%0D%0ABcc:%20e@x.example&cc=e@x.example&body=b>"
            ).ways
                == [.mail(to: "out@x.example", subject: "unsubscribe", body: "b")])
    }

    @Test func `a signature counts only if it covers both fields`() {
        let fields =
            "List-Unsubscribe: <https://x.example/u>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"
        #expect(
            ways(fields + "DKIM-Signature: v=1; h=From:List-Unsubscribe:\r\n List-Unsubscribe-Post; b=x")
                .isSigned)
        #expect(!ways(fields + "DKIM-Signature: v=1; h=From:List-Unsubscribe; b=x").isSigned)
        #expect(!ways(fields).isSigned)
    }
}
