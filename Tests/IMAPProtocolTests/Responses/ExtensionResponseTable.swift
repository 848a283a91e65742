import NIOCore
import TestSupport
import Testing

@testable import IMAPProtocol

private func status(_ fill: (inout MailboxStatus) -> Void) -> Response {
    var status = MailboxStatus(name: bytes("x"))
    fill(&status)
    return .mailboxStatus(status)
}

private func esearch(_ fill: (inout ESearchResponse) -> Void) -> Response {
    var response = ESearchResponse()
    fill(&response)
    return .esearch(response)
}

private func fetch(_ fill: (inout FetchResponse) -> Void) -> Response {
    var response = FetchResponse(sequenceNumber: 1)
    fill(&response)
    return .fetch(response)
}

/// Responses that came after RFC 3501, each under the RFC that brought it.
let extensionRows: [ResponseRow] = [
    ResponseRow(
        "STATUS of all extensions (RFC 8438, 8474, 7889, 9051)",
        "* STATUS x (RECENT 1 DELETED 2 SIZE 99999999999 MAILBOXID (F2-a) APPENDLIMIT 35651584)\r\n",
        status {
            $0.recent = 1
            $0.deleted = 2
            $0.size = 99_999_999_999
            $0.mailboxID = "F2-a"
            $0.appendLimit = 35_651_584
        }),
    ResponseRow("STATUS without a limit (RFC 7889)", "* STATUS x (APPENDLIMIT NIL)\r\n", status { _ in }),
    ResponseRow(
        "LIST with OLDNAME and CHILDINFO (RFC 5258, 9051)",
        "* LIST (\\Subscribed) \"/\" \"new\" (\"OLDNAME\" ({3}\r\nold) \"CHILDINFO\" (\"subscribed\" \"REMOTE\"))\r\n",
        .list(
            ListResponse(
                attributes: ["\\Subscribed"], delimiter: 0x2F, name: bytes("new"),
                childInfo: ["SUBSCRIBED", "REMOTE"], oldName: bytes("old")))),
    ResponseRow(
        "ESEARCH with MIN, MAX, COUNT, MODSEQ (RFC 4731)",
        "* ESEARCH (TAG \"A1\") UID MIN 2 MAX 9 COUNT 3 MODSEQ 12\r\n",
        esearch {
            $0.tag = CommandTag(rawValue: "A1")
            $0.isUID = true
            $0.min = 2
            $0.max = 9
            $0.count = 3
            $0.highestModSeq = 12
        }),
    ResponseRow(
        "ESEARCH whose tag is an atom (RFC 9051)", "* ESEARCH (TAG A6) UID ALL 1:3,7\r\n",
        esearch {
            $0.tag = CommandTag(rawValue: "A6")
            $0.isUID = true
            $0.all = [1, 2, 3, 7]
        }),
    ResponseRow(
        "ESEARCH without a hit", "* ESEARCH (TAG \"A1\") UID\r\n",
        esearch {
            $0.tag = CommandTag(rawValue: "A1")
            $0.isUID = true
        }),
    ResponseRow(
        "ESEARCH of a window (RFC 9394)",
        "* ESEARCH UID PARTIAL (1:500 3,7:9)\r\n* ESEARCH PARTIAL (1:2 NIL)\r\n",
        esearch {
            $0.isUID = true
            $0.partial = [3, 7, 8, 9]
        }, esearch { $0.partial = [] }),
    ResponseRow(
        "QUOTA and QUOTAROOT (RFC 9208)",
        "* QUOTAROOT INBOX \"\" root\r\n* QUOTA \"\" (STORAGE 10 512 MESSAGE 1 20)\r\n* QUOTA root\r\n* QUOTA \"\" ()\r\n",
        .quotaRoot(mailbox: bytes("INBOX"), roots: [[], bytes("root")]),
        .quota(
            QuotaResponse(
                root: [],
                resources: [
                    .init(name: "STORAGE", usage: 10, limit: 512),
                    .init(name: "MESSAGE", usage: 1, limit: 20),
                ])),
        .quota(QuotaResponse(root: bytes("root"), resources: [])),
        .quota(QuotaResponse(root: [], resources: []))),
    ResponseRow(
        "MYRIGHTS (RFC 4314)", "* MYRIGHTS INBOX lrswiat\r\n* MYRIGHTS \"A B\" \"\"\r\n* MYRIGHTS Work\r\n",
        .untagged(.myRights(RightsResponse(mailbox: bytes("INBOX"), rights: "lrswiat"))),
        .untagged(.myRights(RightsResponse(mailbox: bytes("A B"), rights: ""))),
        .untagged(.myRights(RightsResponse(mailbox: bytes("Work"), rights: "")))),
    ResponseRow(
        "object ids (RFC 8474)", "* 1 FETCH (EMAILID (M6d) THREADID (T64))\r\n* 1 FETCH (THREADID NIL)\r\n",
        fetch {
            $0.emailID = "M6d"
            $0.threadID = "T64"
        }, fetch { _ in }),
    ResponseRow(
        "Gmail's ids and labels: words, quotes, literals, brackets, modified UTF-7",
        "* 1 FETCH (X-GM-MSGID 1278455344230334865 X-GM-THRID 18446744073709551615 X-GM-LABELS (\"\\\\Inbox\" a]b {4}\r\n(\")x \"&U,BTFw-\" \"with space\" NIL))\r\n",
        fetch {
            $0.gmailMessageID = 1_278_455_344_230_334_865
            $0.gmailThreadID = .max
            $0.gmailLabels = ["\\Inbox", "a]b", "(\")x", "&U,BTFw-", "with space", "NIL"].map(bytes)
        }),
    ResponseRow("no labels", "* 1 FETCH (X-GM-LABELS ())\r\n", fetch { $0.gmailLabels = [] }),
    ResponseRow(
        "ENABLED of several (RFC 5161)", "* ENABLED QRESYNC CONDSTORE\r\n* ENABLED\r\n",
        .enabled([.qresync, .condstore]), .enabled([])),
    ResponseRow(
        "BODY without extensions", "* 1 FETCH (BODY (\"TEXT\" \"PLAIN\" NIL NIL NIL \"7BIT\" 3 1))\r\n",
        fetch {
            var part = BodyPart(section: "1", type: "text", subtype: "plain")
            part.size = 3
            part.lines = 1
            $0.bodyStructure = BodyStructure(parts: [part])
        }),
]

@Suite struct ResponseCodeTests {
    @Test(
        "known response codes have names, and unknown ones keep theirs",
        arguments: [
            ("INUSE", ResponseCodeName.inUse), ("LIMIT", .limit), ("SERVERBUG", .serverBug),
            ("CLIENTBUG", .clientBug), ("CANNOT", .cannot), ("EXPUNGEISSUED", .expungeIssued),
            ("CORRUPTION", .corruption), ("NOPERM", .noPermission), ("CONTACTADMIN", .contactAdmin),
            ("PRIVACYREQUIRED", .privacyRequired), ("EXPIRED", .expired),
            ("AUTHORIZATIONFAILED", .authorizationFailed), ("HASCHILDREN", .hasChildren),
            ("UIDNOTSTICKY", .uidNotSticky), ("MAILBOXID (a)", .mailboxID), ("TOOBIG", .tooBig),
            ("NOTIFICATIONOVERFLOW", .notificationOverflow), ("COMPRESSIONACTIVE", .compressionActive),
            ("NOTSAVED", .notSaved), ("badcharset (UTF-8)", .badCharset), ("UNSEEN 12", .unseen),
            ("THROTTLED", .throttled), ("READ-ONLY", .readOnly), ("MODIFIED 7", .modified),
            ("HIGHESTMODSEQ 7", .highestModSeq), ("CLOSED", .closed), ("ALREADYEXISTS", .alreadyExists),
            ("X-OWN 1 2", ResponseCodeName(rawValue: "x-own")),
        ])
    func names(_ code: String, _ name: ResponseCodeName) throws {
        guard case .tagged(_, let status) = try decode("A1 NO [\(code)] text\r\n").first else {
            Issue.record("no status")
            return
        }
        #expect(status.code?.name == name)
        #expect(status.text == "text")
    }

    @Test("arguments of unknown response codes are available")
    func arguments() throws {
        #expect(
            ResponseCode.other(name: "MAILBOXID", arguments: "(F2212ea87-6097)").mailboxID == "F2212ea87-6097"
        )
        #expect(ResponseCode.other(name: "MAILBOXID", arguments: "()").mailboxID == nil)
        #expect(ResponseCode.readOnly.mailboxID == nil)
        #expect(ResponseCode.other(name: "UNSEEN", arguments: "12").number == 12)
        #expect(ResponseCode.other(name: "UNSEEN", arguments: "some").number == nil)
    }

    @Test("a response code tells whether a later attempt may succeed")
    func temporary() {
        for name in ["INUSE", "LIMIT", "SERVERBUG", "THROTTLED", "CONTACTADMIN"] {
            #expect(ResponseCode.other(name: name, arguments: "").isTemporary)
        }
        #expect(ResponseCode.unavailable.isTemporary && ResponseCode.overQuota.isTemporary)
        #expect(!ResponseCode.authenticationFailed.isTemporary && !ResponseCode.nonExistent.isTemporary)
    }

    @Test("IMAP4rev2 implies its extensions, and parameters of capabilities are available")
    func capabilities() {
        let offered: Set<Capability> = [
            .imap4rev2, Capability("APPENDLIMIT=35651584"), .authPlain, Capability("auth=xoauth2"),
        ]
        #expect(
            offered.withImplied.isSuperset(of: [.move, .uidPlus, .listExtended, .literalMinus, .esearch]))
        #expect(!offered.withImplied.contains(.qresync))
        #expect(Set<Capability>([.imap4rev1]).withImplied == [.imap4rev1])
        #expect(offered.appendLimit == 35_651_584)
        #expect(offered.authenticationMechanisms == ["PLAIN", "XOAUTH2"])
        #expect(Set<Capability>([.appendLimit]).appendLimit == nil)
    }
}
