import NIOCore
import TestSupport
import Testing

@testable import IMAPProtocol

/// Raw bytes of one or more responses, and what they say.
struct ResponseRow: Sendable, CustomTestStringConvertible {
    let name: String
    let raw: String
    let expected: [Response]

    init(_ name: String, _ raw: String, _ expected: Response...) {
        self.name = name
        self.raw = raw
        self.expected = expected
    }

    var testDescription: String { name }
}

private func ok(_ code: ResponseCode?, _ text: String = "done") -> Response {
    .status(StatusResponse(.ok, code: code, text: text))
}

private func fetch(_ number: UInt32 = 1, _ fill: (inout FetchResponse) -> Void) -> Response {
    var response = FetchResponse(sequenceNumber: number)
    fill(&response)
    return .fetch(response)
}

private func section(_ name: String, _ text: String, origin: UInt32? = nil) -> BodySection {
    BodySection(name: name, origin: origin, content: .bytes(ByteBuffer(string: text)))
}

let statusRows: [ResponseRow] = [
    ResponseRow("greeting", "* OK ready\r\n", ok(nil, "ready")),
    ResponseRow("PREAUTH", "* PREAUTH hello\r\n", .status(StatusResponse(.preauth, text: "hello"))),
    ResponseRow("BYE", "* BYE too busy\r\n", .status(StatusResponse(.bye, text: "too busy"))),
    ResponseRow("untagged NO", "* NO quota\r\n", .status(StatusResponse(.no, text: "quota"))),
    ResponseRow(
        "tagged OK, NO and BAD", "A1 OK done\r\nA2 NO no\r\nA3 BAD what\r\n",
        .tagged(CommandTag(rawValue: "A1"), StatusResponse(.ok, text: "done")),
        .tagged(CommandTag(rawValue: "A2"), StatusResponse(.no, text: "no")),
        .tagged(CommandTag(rawValue: "A3"), StatusResponse(.bad, text: "what"))),
    ResponseRow(
        "capability code", "* OK [CAPABILITY IMAP4rev1 auth=plain] done\r\n",
        ok(.capability([Capability("IMAP4REV1"), .authPlain]))),
    ResponseRow("UIDVALIDITY", "* OK [UIDVALIDITY 4294967295] done\r\n", ok(.uidValidity(.max))),
    ResponseRow("UIDNEXT", "* OK [UIDNEXT 17] done\r\n", ok(.uidNext(17))),
    ResponseRow(
        "HIGHESTMODSEQ", "* OK [HIGHESTMODSEQ 9223372036854775807] done\r\n",
        ok(.highestModSeq(9_223_372_036_854_775_807))),
    ResponseRow("NOMODSEQ", "* OK [NOMODSEQ] done\r\n", ok(.noModSeq)),
    ResponseRow(
        "PERMANENTFLAGS with a bracket in a label", #"* OK [PERMANENTFLAGS (\Seen a]b \*)] done"# + "\r\n",
        ok(.permanentFlags(["\\Seen", "a]b", "\\*"]))),
    ResponseRow("READ-ONLY", "* OK [READ-ONLY] done\r\n", ok(.readOnly)),
    ResponseRow("READ-WRITE in lower case", "* ok [read-write] done\r\n", ok(.readWrite)),
    ResponseRow(
        "COPYUID keeps the server's order", "* OK [COPYUID 7 1:3,9 2273,2275,2274,2272] done\r\n",
        ok(.copyUID(CopyUID(uidValidity: 7, sources: [1, 2, 3, 9], destinations: [2273, 2275, 2274, 2272])))),
    ResponseRow(
        "APPENDUID", "* OK [APPENDUID 38505 3955] done\r\n",
        ok(.appendUID(AppendUID(uidValidity: 38505, uid: 3955)))),
    ResponseRow(
        "TRYCREATE", "* NO [TRYCREATE] no\r\n", .status(StatusResponse(.no, code: .tryCreate, text: "no"))),
    ResponseRow("ALERT", "* OK [ALERT] done\r\n", ok(.alert)),
    ResponseRow("AUTHENTICATIONFAILED", "* OK [AUTHENTICATIONFAILED] done\r\n", ok(.authenticationFailed)),
    ResponseRow("OVERQUOTA", "* OK [OVERQUOTA] done\r\n", ok(.overQuota)),
    ResponseRow("UNAVAILABLE", "* OK [UNAVAILABLE] done\r\n", ok(.unavailable)),
    ResponseRow("MODIFIED", "* OK [MODIFIED 7,9] done\r\n", ok(.modified([7, 9]))),
    ResponseRow("CLOSED", "* OK [CLOSED] done\r\n", ok(.closed)),
    ResponseRow(
        "an unknown code is kept as text", "* OK [BADCHARSET (US-ASCII UTF-8)] done\r\n",
        ok(.other(name: "BADCHARSET", arguments: "(US-ASCII UTF-8)"))),
    ResponseRow(
        "a known code with wrong arguments is kept as text", "* OK [UIDNEXT many] done\r\n",
        ok(.other(name: "UIDNEXT", arguments: "many"))),
    ResponseRow(
        "text that ends like a literal", "A1 NO no such box: x{5}\r\n* OK done\r\n",
        .tagged(CommandTag(rawValue: "A1"), StatusResponse(.no, text: "no such box: x{5}")), ok(nil)),
    ResponseRow("continuation", "+ go on\r\n", .continuation(text: "go on")),
    ResponseRow("continuation without text", "+ \r\n", .continuation(text: "")),
]

let mailboxRows: [ResponseRow] = [
    ResponseRow(
        "CAPABILITY", "* CAPABILITY IMAP4rev1 LITERAL+ Move\r\n",
        .capability([Capability("IMAP4rev1"), .literalPlus, .move])),
    ResponseRow("ENABLED", "* ENABLED CONDSTORE\r\n", .enabled([.condstore])),
    ResponseRow(
        "LIST", #"* LIST (\HasNoChildren \Sent) "/" "Sent Items""# + "\r\n",
        .list(
            ListResponse(
                attributes: ["\\HasNoChildren", "\\Sent"], delimiter: UInt8(ascii: "/"),
                name: bytes("Sent Items")))),
    ResponseRow(
        "LIST in mixed case, delimiter NIL", "* List () nil INBOX\r\n",
        .list(ListResponse(delimiter: nil, name: bytes("INBOX")))),
    ResponseRow(
        "LIST with a name as a literal", "* LIST () \".\" {7}\r\na\"\r\n{b)\r\n",
        .list(ListResponse(delimiter: UInt8(ascii: "."), name: bytes("a\"\r\n{b)")))),
    ResponseRow(
        "LIST with an empty literal", "* LIST () \".\" {0}\r\n\r\n",
        .list(ListResponse(delimiter: UInt8(ascii: "."), name: []))),
    ResponseRow(
        "LIST with escapes", #"* LIST () "\\" "a\\b\"c""# + "\r\n",
        .list(ListResponse(delimiter: .backslash, name: bytes(#"a\b"c"#)))),
    ResponseRow(
        "LIST with extended data", #"* LIST () "/" foo ("CHILDINFO" ("SUBSCRIBED"))"# + "\r\n",
        .list(ListResponse(delimiter: UInt8(ascii: "/"), name: bytes("foo"), childInfo: ["SUBSCRIBED"]))),
    ResponseRow(
        "XLIST and LSUB", #"* XLIST (\Inbox) "/" "Eingang""# + "\r\n* LSUB () \"/\" x\r\n",
        .list(ListResponse(attributes: ["\\Inbox"], delimiter: UInt8(ascii: "/"), name: bytes("Eingang"))),
        .list(ListResponse(delimiter: UInt8(ascii: "/"), name: bytes("x")))),
    ResponseRow(
        "STATUS",
        "* STATUS INBOX (MESSAGES 231 UIDNEXT 44292 UIDVALIDITY 1 UNSEEN 3 HIGHESTMODSEQ 7011231777)\r\n",
        .mailboxStatus(
            MailboxStatus(
                name: bytes("INBOX"), messages: 231, uidNext: 44292, uidValidity: 1,
                unseen: 3, highestModSeq: 7_011_231_777))),
    ResponseRow(
        "STATUS with items we do not know", "* STATUS x (SIZE 44421 MAILBOXID (F2212ea87) MESSAGES 1)\r\n",
        .mailboxStatus(MailboxStatus(name: bytes("x"), messages: 1, size: 44421, mailboxID: "F2212ea87"))),
    ResponseRow("SEARCH", "* SEARCH 2 84 882\r\n", .search([2, 84, 882], highestModSeq: nil)),
    ResponseRow(
        "SEARCH without a hit", "* SEARCH\r\n* SEARCH \r\n",
        .search([], highestModSeq: nil), .search([], highestModSeq: nil)),
    ResponseRow(
        "SEARCH with MODSEQ", "* SEARCH 2 5 (MODSEQ 917162500)\r\n",
        .search([2, 5], highestModSeq: 917_162_500)),
    ResponseRow(
        "ESEARCH", "* ESEARCH (TAG \"A282\") UID COUNT 3 ALL 4,8:9 MIN 4\r\n",
        .esearch(
            {
                var response = ESearchResponse()
                response.tag = CommandTag(rawValue: "A282")
                response.isUID = true
                response.count = 3
                response.min = 4
                response.all = [4, 8, 9]
                return response
            }())),
    ResponseRow("FLAGS", #"* FLAGS (\Seen $Junk)"# + "\r\n", .flags(["\\Seen", "$Junk"])),
    ResponseRow(
        "EXISTS, RECENT, EXPUNGE", "* 23 EXISTS\r\n* 5 RECENT\r\n* 44 EXPUNGE\r\n",
        .exists(23), .recent(5), .expunge(44)),
    ResponseRow(
        "VANISHED", "* VANISHED 405,407,410:412\r\n", .vanished([405, 407, 410, 411, 412], isEarlier: false)),
    ResponseRow(
        "VANISHED (EARLIER)", "* VANISHED (EARLIER) 41,43:44\r\n", .vanished([41, 43, 44], isEarlier: true)),
    ResponseRow(
        "ID", #"* ID ("name" "Dovecot" "version" NIL)"# + "\r\n* ID NIL\r\n",
        .id([IDField(name: "name", value: "Dovecot"), IDField(name: "version", value: nil)]), .id([])),
    ResponseRow(
        "NAMESPACE", ##"* NAMESPACE (("INBOX." ".")) NIL (("#shared/" "/" "X-P" ("a" "b")))"## + "\r\n",
        .namespace(
            NamespaceResponse(
                personal: [.init(prefix: bytes("INBOX."), delimiter: UInt8(ascii: "."))],
                shared: [.init(prefix: bytes("#shared/"), delimiter: UInt8(ascii: "/"))]))),
    ResponseRow(
        "words we have no use for", "* X-STRANGE \"\" (STORAGE 10 512)\r\n* 3 WONDER x\r\n",
        .other("X-STRANGE"), .other("WONDER")),
]

let fetchRows: [ResponseRow] = [
    ResponseRow(
        "FETCH of everything small",
        #"* 12 FETCH (FLAGS (\Seen $a) UID 7 INTERNALDATE "17-Jul-1996 02:44:25 -0700" RFC822.SIZE 4286 MODSEQ (65402))"#
            + "\r\n",
        fetch(12) {
            $0.flags = ["\\Seen", "$a"]
            $0.uid = 7
            $0.internalDate = 837_596_665
            $0.size = 4286
            $0.modSeq = 65402
        }),
    ResponseRow(
        "the UID after the data", "* 1 FETCH (BODY[HEADER] {4}\r\na: b UID 9)\r\n",
        fetch {
            $0.uid = 9
            $0.sections = [section("HEADER", "a: b")]
        }),
    ResponseRow(
        "two literals, one of them empty",
        "* 1 FETCH (UID 9 BODY[HEADER] {3}\r\na\r\n BODY[]<0> {0}\r\n)\r\n",
        fetch {
            $0.uid = 9
            $0.sections = [section("HEADER", "a\r\n"), section("", "", origin: 0)]
        }),
    ResponseRow(
        "literal8 and the announcement with plus", "* 1 FETCH (BODY[] ~{2}\r\n\u{1})BODY[1] {1+}\r\n()\r\n",
        fetch { $0.sections = [section("", "\u{1})"), section("1", "(")] }),
    ResponseRow(
        "a body as a quoted string, and NIL", #"* 1 FETCH (BODY[TEXT] "a\"b" BODY[1] NIL)"# + "\r\n",
        fetch {
            $0.sections = [section("TEXT", "a\"b"), BodySection(name: "1", content: .missing)]
        }),
    ResponseRow(
        "section with a field list", "* 1 FETCH (BODY[header.fields (\"From]\" To)] {1}\r\nx UID 2)\r\n",
        fetch {
            $0.uid = 2
            $0.sections = [section("HEADER.FIELDS (\"FROM]\" TO)", "x")]
        }),
    ResponseRow(
        "unknown items are stepped over with all their parentheses and literals",
        "* 1 FETCH (X-ENVELOPE (\"a)\" {3}\r\n)\") NIL ((NIL))) X-LABELS (\"\\\\Inbox\" x) UID 3 PREVIEW (\"TEXT\" (\"a\" \"b\") 7) BINARY[1] {2}\r\n)) SAVEDATE NIL)\r\n",
        fetch { $0.uid = 3 }),
    ResponseRow(
        "an unknown literal that looks like a line",
        "* 1 FETCH (X {8}\r\n* BYE\r\n\r UID 4)\r\n* 2 EXISTS\r\n",
        fetch { $0.uid = 4 }, .exists(2)),
    ResponseRow("FLAGS without a flag", "* 1 FETCH (FLAGS ())\r\n", fetch { $0.flags = [] }),
    ResponseRow("no item at all", "* 1 FETCH ()\r\n", fetch { _ in }),
]
