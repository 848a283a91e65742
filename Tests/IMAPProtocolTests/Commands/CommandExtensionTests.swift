import Foundation
import NIOCore
import SASL
import TestSupport
import Testing

@testable import IMAPProtocol

@Suite struct CommandExtensionTests {
    static let message = ByteBuffer(string: "a: ü\r\n\r\n")

    @Test(
        "commands of the extensions are written as in their RFCs",
        arguments: [
            (
                .authenticate(mechanism: "SCRAM-SHA-256", initialResponse: nil),
                "A1 AUTHENTICATE SCRAM-SHA-256\r\n"
            ),
            (
                .authenticate(mechanism: "XOAUTH2", initialResponse: Secret("dXNl")),
                "A1 AUTHENTICATE XOAUTH2 dXNl\r\n"
            ),
            (
                .authenticate(mechanism: "EXTERNAL", initialResponse: Secret("")),
                "A1 AUTHENTICATE EXTERNAL =\r\n"
            ),
            (.enable([.qresync, .condstore]), "A1 ENABLE QRESYNC CONDSTORE\r\n"),
            (.idle, "A1 IDLE\r\n"),
            (.compressDeflate, "A1 COMPRESS DEFLATE\r\n"),
            (.namespace, "A1 NAMESPACE\r\n"),
            (.list(.plain), "A1 LIST \"\" \"*\"\r\n"),
            (
                .list(ListRequest(roles: true, status: [.messages, .uidNext, .size])),
                "A1 LIST \"\" \"*\" RETURN (SPECIAL-USE STATUS (MESSAGES UIDNEXT SIZE))\r\n"
            ),
            (
                .list(ListRequest(status: [.messages])),
                "A1 LIST \"\" \"*\" RETURN (STATUS (MESSAGES))\r\n"
            ),
            (.select(SelectRequest(bytes("INBOX"))), "A1 SELECT INBOX\r\n"),
            (
                .select(SelectRequest(bytes("a b"), readOnly: true, option: .condstore)),
                "A1 EXAMINE \"a b\" (CONDSTORE)\r\n"
            ),
            (
                .select(
                    SelectRequest(
                        bytes("INBOX"),
                        option: .qresync(
                            .init(uidValidity: 67_890_007, modSeq: 20_050_715, knownUIDs: [1, 2, 9])))),
                "A1 SELECT INBOX (QRESYNC (67890007 20050715 1:2,9))\r\n"
            ),
            (
                .select(SelectRequest(bytes("x"), option: .qresync(.init(uidValidity: 1, modSeq: 2)))),
                "A1 SELECT x (QRESYNC (1 2))\r\n"
            ),
            (
                .status(bytes("x"), [.uidNext, .highestModSeq, .mailboxID, .appendLimit]),
                "A1 STATUS x (UIDNEXT HIGHESTMODSEQ MAILBOXID APPENDLIMIT)\r\n"
            ),
            (
                .uidStore([7], FlagChange(.add, ["\\Seen"], unchangedSince: 12)),
                "A1 UID STORE 7 (UNCHANGEDSINCE 12) +FLAGS (\\Seen)\r\n"
            ),
            (
                .uidStoreLabels([7], .remove([bytes("\\Inbox")])), "A1 UID STORE 7 -X-GM-LABELS (\\Inbox)\r\n"
            ),
            (
                .uidStoreLabels(
                    [7], .add([bytes("a b"), bytes("\\Sent"), bytes("&U,BTFw-"), bytes("\\x y")])),
                "A1 UID STORE 7 +X-GM-LABELS (\"a b\" \\Sent \"&U,BTFw-\" \"\\\\x y\")\r\n"
            ),
            (
                .uidSearch(.both(.since(837_596_665), .before(86_400)), extended: false),
                "A1 UID SEARCH SINCE 17-Jul-1996 BEFORE 02-Jan-1970\r\n"
            ),
            (
                .uidSearch(.both(.modSeq(12), .both(.undeleted, .emailID("M1"))), extended: false),
                "A1 UID SEARCH MODSEQ 12 UNDELETED EMAILID M1\r\n"
            ),
            (
                .uidSearch(.both(.gmailMessageID(12), .gmailRaw("has:attachment \"x\"")), extended: false),
                "A1 UID SEARCH X-GM-MSGID 12 X-GM-RAW \"has:attachment \\\"x\\\"\"\r\n"
            ),
            (.notify(NotifyRequest(groups: [])), "A1 NOTIFY NONE\r\n"),
            (
                .notify(
                    NotifyRequest(
                        status: true,
                        groups: [
                            .init(.selectedDelayed, [.messageNew, .messageExpunge, .flagChange]),
                            .init(
                                .mailboxes([bytes("Lists/a b"), bytes("c")]), [.messageNew, .messageExpunge]),
                            .init(.subtree([bytes("Old")]), []), .init(.personal, [.mailboxName]),
                        ])),
                "A1 NOTIFY SET STATUS (SELECTED-DELAYED (MessageNew MessageExpunge FlagChange)) (MAILBOXES (\"Lists/a b\" \"c\") (MessageNew MessageExpunge)) (SUBTREE (\"Old\") NONE) (PERSONAL (MailboxName))\r\n"
            ),
            (
                .append(AppendRequest(mailbox: bytes("x"), message: message, isUTF8: true)),
                "A1 APPEND x UTF8 (~{9}\r\n⏸a: ü\r\n\r\n)\r\n"
            ),
        ] as [(Command, String)])
    func encode(_ command: Command, _ expected: String) throws {
        #expect(try wire(command) == expected)
    }

    @Test("FETCH requests each item by its name, and never sets \\Seen")
    func fetchItems() throws {
        var items = FetchItems(flags: true, changedSince: 12)
        items.vanished = true
        items.envelope = true
        items.bodyStructure = true
        items.objectIDs = true
        items.gmailIDs = true
        items.gmailLabels = true
        items.sections = [
            SectionRequest("1.2", offset: 4_096, count: 1_024), SectionRequest("2", .mime, count: 9),
            SectionRequest("", .headerFields(["From", "x-a"]), count: 9),
            SectionRequest("3", .header, count: 9),
            SectionRequest("", .text, count: 9),
        ]
        let text = try wire(.uidFetch([7], items))
        #expect(
            text
                == "A1 UID FETCH 7 (UID FLAGS ENVELOPE BODYSTRUCTURE EMAILID THREADID X-GM-MSGID X-GM-THRID "
                + "X-GM-LABELS BODY.PEEK[1.2]<4096.1024> BODY.PEEK[2.MIME] "
                + "BODY.PEEK[HEADER.FIELDS (FROM X-A)] BODY.PEEK[3.HEADER] BODY.PEEK[TEXT]) "
                + "(CHANGEDSINCE 12 VANISHED)\r\n")
        #expect(items.bodyLimit == 1_024 + 4 * 9)
        let raw = "* 1 FETCH (BODY[1.2]<4096> {1}\r\nx BODY[HEADER.FIELDS (From X-A)] {1}\r\ny)\r\n"
        guard case .untagged(.fetch(let fetch)) = try decode(raw).first else { return }
        #expect(fetch.section(items.sections[0].name)?.origin == 4_096)
        #expect(fetch.section(items.sections[2].name) != nil)
    }

    @Test(
        "an argument that could contain a second command is refused",
        arguments: [
            (.authenticate(mechanism: "PLAIN\r\nA2", initialResponse: nil), .invalidWord("PLAIN\r\nA2")),
            (.enable([Capability("A B")]), .invalidWord("A B")),
            (.uidStoreLabels([1], .add([[]])), .invalidFlag("")),
            (.uidStoreLabels([], .add([bytes("x")])), .emptySet(command: "UID STORE")),
            (.uidFetch([1], with(SectionRequest("1.a", count: 1))), .invalidSection("1.a")),
            (.uidFetch([1], with(SectionRequest("1..2", count: 1))), .invalidSection("1..2")),
            (.uidFetch([1], with(SectionRequest("0", count: 1))), .invalidSection("0")),
            (.uidFetch([1], with(SectionRequest("", .mime, count: 1))), .invalidSection("MIME")),
            (
                .uidFetch([1], with(SectionRequest("", .headerFields(["a]b"]), count: 1))),
                .invalidFieldName("a]b")
            ),
        ] as [(Command, EncodingError)])
    func refuse(_ command: Command, _ error: EncodingError) {
        #expect(throws: error) { try wire(command) }
    }

    private static func with(_ section: SectionRequest) -> FetchItems {
        var items = FetchItems()
        items.sections = [section]
        return items
    }

    @Test("a label with a line end is sent as a literal")
    func label() throws {
        #expect(
            try wire(.uidStoreLabels([1], .add([bytes("x\r\nA2 LOGOUT")])))
                == "A1 UID STORE 1 +X-GM-LABELS ({12}\r\n⏸x\r\nA2 LOGOUT)\r\n")
    }

    @Test("a command has a limited number of messages, and a long range is split")
    func splitByCount() {
        let pieces = UIDSet(ranges: [1...10, 20...20, 30...34]).split(maximumBytes: 100, maximumCount: 4)
        #expect(pieces.map(\.description) == ["1:4", "5:8", "9:10,20,30", "31:34"])
        #expect(
            UIDSet(1...3).split(maximumBytes: 100, maximumCount: 1).map(\.description) == ["1", "2", "3"])
        let whole = UIDSet(1...UInt32.max)
        #expect(whole.split(maximumBytes: 100, maximumCount: .max) == [whole])
    }

    @Test("a line longer than the server allows is refused with its size and the maximum")
    func lineLimit() {
        #expect(throws: EncodingError.lineTooLong(command: "CREATE", actual: 109, maximum: 100)) {
            try Command.create(bytes(String(repeating: "x", count: 99))).encode(
                tag: CommandTag(rawValue: "A1"), literals: .plus, lineLimit: 100)
        }
    }

    @Test("a mailbox name is sent byte for byte as it was received")
    func names() throws {
        for name in [
            bytes("&"), bytes("Entw&APw-rfe"), bytes("a&b&-"), [0xFF, 0x80, 0x41], bytes("\"\\"),
            bytes("&AAA"),
        ] {
            let raw = bytes("* LIST () \"/\" {\(name.count)}\r\n") + name + bytes("\r\n")
            guard case .untagged(.list(let listed)) = try decode(raw).responses.first else { continue }
            let listing = try #require(MailboxListing.listings(from: [listed]).first)
            let encoded = try Command.select(SelectRequest(listing.name)).encode(
                tag: CommandTag(rawValue: "A1"), literals: .plus)
            var sent: [UInt8] = []
            for case .send(let bytes) in encoded.pieces { sent += Array(bytes.readableBytesView) }
            // As the server would read it: through our own reader of strings.
            let echo = bytes("* LIST () NIL ") + sent.dropFirst("A1 SELECT ".utf8.count)
            guard case .untagged(.list(let read)) = try decode(echo).responses.first else { continue }
            #expect(read.name == name)
        }
    }

    @Test("continuation lines are written correctly, and none shows a password")
    func continuationLines() {
        #expect(String(buffer: ContinuationLine.done.bytes) == "DONE\r\n")
        #expect(String(buffer: ContinuationLine.cancel.bytes) == "*\r\n")
        #expect(String(buffer: ContinuationLine.response(Secret("Yw==")).bytes) == "Yw==\r\n")
        #expect(!"\(ContinuationLine.response(Secret("hunter2")))".contains("hunter2"))
        #expect(
            !"\(Command.authenticate(mechanism: "X", initialResponse: Secret("hunter2")))".contains("hunter2")
        )
    }

    @Test("no command expunges unnamed messages, or replaces labels or flags")
    func nothingDestructive() throws {
        let sources = Repository.root.appending(path: "Sources/IMAPProtocol")
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
            .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Responses/") }
        #expect(files.count > 20)
        for file in files {
            let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
            #expect(!text.contains("\"CLOSE"), "\(file)")
            #expect(!text.contains("\"EXPUNGE"), "\(file)")
            #expect(!text.contains(" FLAGS ("), "\(file)")
        }
        #expect(try !wire(.uidStoreLabels([1], .add([bytes("x")]))).contains(" X-GM-LABELS"))
    }
}
