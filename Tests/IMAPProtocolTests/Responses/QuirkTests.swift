import Foundation
import NIOCore
import TestSupport
import Testing

@testable import IMAPProtocol

/// One leniency: the raw bytes, and what they are read as.
struct QuirkRow: Sendable, CustomTestStringConvertible {
    let quirk: Quirk
    let raw: String
    let expected: Response

    init(_ quirk: Quirk, _ raw: String, _ expected: Response) {
        self.quirk = quirk
        self.raw = raw
        self.expected = expected
    }

    var testDescription: String { "\(quirk.rawValue): \(raw.debugDescription)" }
}

private func fetched(_ fill: (inout FetchResponse) -> Void) -> Response {
    var response = FetchResponse(sequenceNumber: 1)
    fill(&response)
    return .fetch(response)
}

private func listed(_ name: String, delimiter: UInt8? = UInt8(ascii: "/")) -> Response {
    .list(ListResponse(delimiter: delimiter, name: bytes(name)))
}

@Suite struct QuirkTests {
    static let rows = lineRows + structureRows

    static let lineRows: [QuirkRow] = [
        QuirkRow(
            .missingStatusText, "* OK [HIGHESTMODSEQ 5]\r\n",
            .status(StatusResponse(.ok, code: .highestModSeq(5)))),
        QuirkRow(.missingStatusText, "A1 OK\r\n", .tagged(CommandTag(rawValue: "A1"), StatusResponse(.ok))),
        QuirkRow(.unclosedCode, "* OK [UIDNEXT 5\r\n", .status(StatusResponse(.ok, text: "[UIDNEXT 5"))),
        QuirkRow(
            .codeWithoutStatus, "* [COPYUID 7 1 9] moved\r\n",
            .status(
                StatusResponse(
                    .ok, code: .copyUID(CopyUID(uidValidity: 7, sources: [1], destinations: [9])),
                    text: "moved"))),
        QuirkRow(.bareContinuation, "+\r\n", .continuation(text: "")),
        QuirkRow(.bareLineFeed, "* 3 EXISTS\n", .exists(3)),
        QuirkRow(.trailingSpace, "* LIST () \"/\" foo \r\n", listed("foo")),
        QuirkRow(
            .trailingSpace, "* STATUS x (MESSAGES 3) \r\n",
            .mailboxStatus(MailboxStatus(name: bytes("x"), messages: 3))),
        QuirkRow(.splitLiteralPlus, "* CAPABILITY LITERAL + ID\r\n", .capability([.literalPlus, .id])),
        QuirkRow(.emptyDelimiter, "* LIST () \"\" foo\r\n", listed("foo", delimiter: nil)),
        QuirkRow(
            .unquotedMailbox, "* LIST () \"/\" Gesendete Objekte\t1\r\n", listed("Gesendete Objekte\t1")),
        QuirkRow(
            .unquotedMailbox, "* STATUS Sent Items (MESSAGES 3)\r\n",
            .mailboxStatus(MailboxStatus(name: bytes("Sent Items"), messages: 3))),
        QuirkRow(
            .unescapedQuote, #"* LIST () "." "Quo"te""# + "\r\n",
            listed("Quo\"te", delimiter: UInt8(ascii: "."))),
        QuirkRow(.unescapedQuote, #"* LIST () "/" "a" b""# + "\r\n", listed("a\" b")),
        QuirkRow(
            .echoedPartial, "* 1 FETCH (UID 5 BODY[1]<0.1048576> {2}\r\nhi)\r\n",
            fetched {
                $0.uid = 5
                $0.sections = [BodySection(name: "1", origin: 0, content: .bytes(ByteBuffer(string: "hi")))]
            }),
        QuirkRow(.strayBackslash, #"* LIST () "/" "a\b""# + "\r\n", listed("a\\b")),
        QuirkRow(
            .statusWithoutItems, "* STATUS \"INBOX\" ()\r\n",
            .mailboxStatus(MailboxStatus(name: bytes("INBOX")))),
        QuirkRow(
            .statusWithoutItems, "* STATUS INBOX\r\n", .mailboxStatus(MailboxStatus(name: bytes("INBOX")))),
        QuirkRow(.extraParentheses, "* 1 FETCH ((UID 5))\r\n", fetched { $0.uid = 5 }),
        QuirkRow(.extraParentheses, "* 1 FETCH (UID 5))\r\n", fetched { $0.uid = 5 }),
        QuirkRow(.itemWithoutValue, "* 1 FETCH (UID 5 BODY[])\r\n", fetched { $0.uid = 5 }),
        QuirkRow(.itemWithoutValue, "* 1 FETCH (BODY[] UID 5)\r\n", fetched { $0.uid = 5 }),
        QuirkRow(.itemWithoutValue, "* 1 FETCH (FLAGS UID 5)\r\n", fetched { $0.uid = 5 }),
        QuirkRow(.itemWithoutValue, "* 1 FETCH (UID 5 FLAGS)\r\n", fetched { $0.uid = 5 }),
        QuirkRow(.negativeNumber, "* 1 FETCH (RFC822.SIZE -1 UID 5)\r\n", fetched { $0.uid = 5 }),
        QuirkRow(
            .negativeNumber, "* STATUS x (UNSEEN -1)\r\n", .mailboxStatus(MailboxStatus(name: bytes("x")))),
        QuirkRow(.invalidModSeq, "* 1 FETCH (MODSEQ (-1) UID 5)\r\n", fetched { $0.uid = 5 }),
        QuirkRow(.invalidModSeq, "* 1 FETCH (MODSEQ (0) UID 5)\r\n", fetched { $0.uid = 5 }),
        QuirkRow(
            .invalidModSeq, "* OK [HIGHESTMODSEQ 0] x\r\n",
            .status(StatusResponse(.ok, code: .noModSeq, text: "x"))),
        QuirkRow(.uidZero, "* 1 FETCH (UID 0 RFC822.SIZE 1)\r\n", fetched { $0.size = 1 }),
        QuirkRow(.uidZero, "* SEARCH 0 5\r\n", .search([5], highestModSeq: nil)),
        QuirkRow(
            .invalidInternalDate, "* 1 FETCH (INTERNALDATE \"yesterday\" UID 5)\r\n", fetched { $0.uid = 5 }),
        QuirkRow(.reversedRange, "* VANISHED 187:186\r\n", .vanished([186, 187], isEarlier: false)),
        QuirkRow(
            .unequalCopyUID, "* OK [COPYUID 7 1:3 9] x\r\n",
            .status(StatusResponse(.ok, code: .other(name: "COPYUID", arguments: "7 1:3 9"), text: "x"))),
        QuirkRow(
            .dynamicCopyUID, "* OK [COPYUID 7 1:3 9:*] x\r\n",
            .status(StatusResponse(.ok, code: .other(name: "COPYUID", arguments: "7 1:3 9:*"), text: "x"))),
        QuirkRow(
            .codeWithoutStatus, "[COPYUID 124 10 233] moved\r\n",
            .status(
                StatusResponse(
                    .ok, code: .copyUID(CopyUID(uidValidity: 124, sources: [10], destinations: [233])),
                    text: "moved"))),
        QuirkRow(
            .uidValidityZero, "* OK [UIDVALIDITY 0] x\r\n",
            .status(StatusResponse(.ok, code: .uidValidity(0), text: "x"))),
        QuirkRow(.extraSpace, "*  1688 EXISTS\r\n", .exists(1688)),
        QuirkRow(.extraSpace, "* 1 FETCH (UID 19436 )\r\n", fetched { $0.uid = 19436 }),
        QuirkRow(.extraSpace, "* FLAGS (\\Seen $Forwarded )\r\n", .flags(["\\Seen", "$Forwarded"])),
        QuirkRow(.blankLine, "\r\n", .blank),
        QuirkRow(
            .nilFlagList, "* 1 FETCH (FLAGS NIL UID 1)\r\n",
            fetched {
                $0.flags = []
                $0.uid = 1
            }),
        QuirkRow(
            .nilFlagList, "* OK [PERMANENTFLAGS NIL] x\r\n",
            .status(StatusResponse(.ok, code: .permanentFlags([]), text: "x"))),
        QuirkRow(
            .bareBackslash, "* XLIST (\\HasNoChildren \\) \"/\" \"Argos\"\r\n",
            .list(ListResponse(attributes: ["\\HasNoChildren"], delimiter: 0x2F, name: bytes("Argos")))),
        QuirkRow(.wildcardFlag, "* FLAGS (\\Seen \\*)\r\n", .flags(["\\Seen"])),
        QuirkRow(
            .unescapedDelimiter, "* LIST () \"\\\" Folder\\Sub\r\n",
            listed("Folder\\Sub", delimiter: .backslash)),
        QuirkRow(
            .unquotedMailbox, "* LIST () \"/\" INBOX/Da\tOggetto\t\r\n", listed("INBOX/Da\tOggetto\t")),
        QuirkRow(
            .parenthesisedModSeq, "* ESEARCH (TAG \"A1\") UID ALL 3,7 (MODSEQ 284535)\r\n",
            .esearch(
                {
                    var response = ESearchResponse()
                    response.tag = CommandTag(rawValue: "A1")
                    response.isUID = true
                    response.all = [3, 7]
                    response.highestModSeq = 284_535
                    return response
                }())),
        QuirkRow(
            .bareObjectID, "* 1 FETCH (EMAILID M1 UID 5)\r\n",
            fetched {
                $0.emailID = "M1"
                $0.uid = 5
            }),
        QuirkRow(.conflictingUID, "* 1 FETCH (UID 5 UID 6)\r\n", fetched { $0.uid = 5 }),
        QuirkRow(
            .mailDate, "* 1 FETCH (INTERNALDATE \"Wed, 17 Jul 1996 02:44:25 -0700\")\r\n",
            fetched { $0.internalDate = 837_596_665 }),
        QuirkRow(
            .invalidInternalDate, "* 1 FETCH (INTERNALDATE \"00-Jan-0000 00:00:00 +0000\" UID 5)\r\n",
            fetched { $0.uid = 5 }),
        QuirkRow(
            .legacyBodyItem, "* 1 FETCH (RFC822.HEADER {4}\r\na: b UID 5)\r\n",
            fetched {
                $0.uid = 5
                $0.sections = [
                    BodySection(name: "HEADER", content: .bytes(ByteBuffer(string: "a: b")))
                ]
            }),
        QuirkRow(
            .legacyBodyItem, "* 1 FETCH (BODY.PEEK[TEXT] {4}\r\na: b)\r\n",
            fetched {
                $0.sections = [BodySection(name: "TEXT", content: .bytes(ByteBuffer(string: "a: b")))]
            }),
        QuirkRow(
            .legacyBodyItem, "* 1 FETCH (BODY {4}\r\na: b)\r\n",
            fetched {
                $0.sections = [BodySection(name: "", content: .bytes(ByteBuffer(string: "a: b")))]
            }),
    ]

    @Test("each quirk is read as documented, and counted", arguments: rows)
    func quirk(_ row: QuirkRow) throws {
        for pieces in [Int.max, 1, 7] {
            let (responses, decoder) = try decode(bytes(row.raw), pieces: pieces)
            #expect(responses == [row.expected])
            #expect(decoder.quirks.seen == [row.quirk])
            #expect(decoder.quirks[row.quirk] == 1)
        }
    }

    @Test("every quirk has an example in the table and a line in docs/Quirks.md")
    func everyQuirkIsDocumented() throws {
        #expect(Quirk.allCases.count >= 40)
        #expect(Set(Self.rows.map(\.quirk)) == Set(Quirk.allCases))
        let page = try String(contentsOf: Repository.root.appending(path: "docs/Quirks.md"), encoding: .utf8)
        for quirk in Quirk.allCases {
            #expect(
                page.contains("| `\(quirk.rawValue)` |"), "docs/Quirks.md has no line for \(quirk.rawValue)")
        }
    }
}
