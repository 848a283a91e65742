import NIOCore
import SASL
import TestSupport
import Testing

@testable import IMAPProtocol

@Suite struct CommandTests {
    static let message = ByteBuffer(string: "a: b\r\n\r\nc")

    @Test(
        "commands are written as in their RFCs",
        arguments: [
            (.capability, "A1 CAPABILITY\r\n"),
            (.startTLS, "A1 STARTTLS\r\n"),
            (.noop, "A1 NOOP\r\n"),
            (.logout, "A1 LOGOUT\r\n"),
            (.login(user: "ann", password: Secret("p w\"\\")), "A1 LOGIN ann \"p w\\\"\\\\\"\r\n"),
            (
                .id([IDField(name: "name", value: "opus"), IDField(name: "version", value: "1")]),
                "A1 ID (\"name\" \"opus\" \"version\" \"1\")\r\n"
            ),
            (.list(.plain), "A1 LIST \"\" \"*\"\r\n"),
            (.list(.specialUse), "A1 LIST \"\" \"*\" RETURN (SPECIAL-USE)\r\n"),
            (.list(.xlist), "A1 XLIST \"\" \"*\"\r\n"),
            (.create(bytes("Waiting for")), "A1 CREATE \"Waiting for\"\r\n"),
            (.select(SelectRequest(bytes("INBOX"), option: .condstore)), "A1 SELECT INBOX (CONDSTORE)\r\n"),
            (.select(SelectRequest(bytes("[Gmail]/Alle"), readOnly: true)), "A1 EXAMINE [Gmail]/Alle\r\n"),
            (
                .status(bytes("a\"b"), [.messages, .uidNext, .uidValidity, .unseen, .highestModSeq]),
                "A1 STATUS \"a\\\"b\" (MESSAGES UIDNEXT UIDVALIDITY UNSEEN HIGHESTMODSEQ)\r\n"
            ),
            (
                .uidFetch([1, 2, 5], FetchItems(flags: true, internalDate: true, size: true, modSeq: true)),
                "A1 UID FETCH 1:2,5 (UID FLAGS INTERNALDATE RFC822.SIZE MODSEQ)\r\n"
            ),
            (
                .uidFetch([7], FetchItems(header: true, body: .first(2_048))),
                "A1 UID FETCH 7 (UID BODY.PEEK[HEADER] BODY.PEEK[]<0.2048>)\r\n"
            ),
            (
                .uidFetch(UIDSet(1...UInt32.max), FetchItems(flags: true, changedSince: 12)),
                "A1 UID FETCH 1:4294967295 (UID FLAGS) (CHANGEDSINCE 12)\r\n"
            ),
            (
                .uidFetch([7], FetchItems(body: .whole(maximum: 9), changedSince: 0)),
                "A1 UID FETCH 7 (UID BODY.PEEK[])\r\n"
            ),
            (.uidStore([7], .add(["\\Seen", "$Todo"])), "A1 UID STORE 7 +FLAGS (\\Seen $Todo)\r\n"),
            (.uidStore([7], .remove(["\\Seen"])), "A1 UID STORE 7 -FLAGS (\\Seen)\r\n"),
            (.uidMove([7], to: bytes("Archive")), "A1 UID MOVE 7 Archive\r\n"),
            (.uidCopy([7], to: bytes("NIL")), "A1 UID COPY 7 \"NIL\"\r\n"),
            (.uidExpunge([7]), "A1 UID EXPUNGE 7\r\n"),
            (.uidSearch(.all, extended: true), "A1 UID SEARCH RETURN (ALL) ALL\r\n"),
            (
                .uidSearch(.both(.uids([3]), .header(name: "Message-ID", value: "<a@b>")), extended: false),
                "A1 UID SEARCH UID 3 HEADER Message-ID \"<a@b>\"\r\n"
            ),
            (
                .uidSearch(.header(name: "Subject", value: "ü"), extended: false),
                "A1 UID SEARCH CHARSET UTF-8 HEADER Subject {2}\r\n⏸ü\r\n"
            ),
            (
                .append(
                    AppendRequest(
                        mailbox: bytes("Sent"), flags: ["\\Seen"], internalDate: 0, message: message)),
                "A1 APPEND Sent (\\Seen) \"01-Jan-1970 00:00:00 +0000\" {9}\r\n⏸a: b\r\n\r\nc\r\n"
            ),
        ] as [(Command, String)])
    func encode(_ command: Command, _ expected: String) throws {
        #expect(try wire(command) == expected)
    }

    @Test(
        "a name that cannot be quoted is sent as a literal, byte for byte",
        arguments: [
            ([0xFF, 0x41], "{2}\r\n⏸"), (bytes("a\r\nA2 LOGOUT"), "{12}\r\n⏸"), (bytes("ü"), "{2}\r\n⏸"),
        ] as [([UInt8], String)])
    func literalName(_ name: [UInt8], _ announcement: String) throws {
        let encoded = try Command.create(name).encode(
            tag: CommandTag(rawValue: "A1"), literals: .synchronizing)
        #expect(encoded.pieces.count == 4)
        #expect(encoded.pieces[0] == .send(ByteBuffer(string: "A1 CREATE " + announcement.dropLast(1))))
        #expect(encoded.pieces[1] == .waitForContinuation)
        #expect(encoded.pieces[2] == .send(ByteBuffer(bytes: name)))
    }

    @Test(
        "with UTF8=ACCEPT, names are sent as UTF-8, and SEARCH names no charset",
        arguments: [
            (.select(SelectRequest(bytes("Entw&APw-rfe"), readOnly: true)), "A1 EXAMINE \"Entwürfe\"\r\n"),
            (.create(bytes("A&-B")), "A1 CREATE A&B\r\n"),
            (.create(bytes("a \"b\" &-")), "A1 CREATE \"a \\\"b\\\" &\"\r\n"),
            (.create(bytes("no & such")), "A1 CREATE \"no & such\"\r\n"),
            (.create(bytes("&AA0ACg-A2 LOGOUT&APw-")), "A1 CREATE {13}\r\n⏸\r\nA2 LOGOUTü\r\n"),
            (.uidMove([1], to: bytes("&APw-")), "A1 UID MOVE 1 \"ü\"\r\n"),
            (
                .uidSearch(.header(name: "Subject", value: "ü"), extended: false),
                "A1 UID SEARCH HEADER Subject {2}\r\n⏸ü\r\n"
            ),
        ] as [(Command, String)])
    func utf8(_ command: Command, _ expected: String) throws {
        #expect(try wire(command, isUTF8: true) == expected)
    }

    @Test(
        "literals wait for a continuation unless the server allows otherwise",
        arguments: [
            (LiteralSupport.synchronizing, 10, true), (.minus, 4_096, false), (.minus, 4_097, true),
            (.plus, 65_536, false), (.plus, 65_537, true),
        ])
    func literals(_ support: LiteralSupport, _ size: Int, _ waits: Bool) throws {
        let message = ByteBuffer(repeating: UInt8(ascii: "x"), count: size)
        let text = try wire(.append(AppendRequest(mailbox: bytes("x"), message: message)), literals: support)
        #expect(text.contains("⏸") == waits)
        #expect(text.contains("{\(size)+}") == !waits)
    }

    @Test("LITERAL+ is preferred to LITERAL-, and the default is to wait")
    func support() {
        #expect(LiteralSupport([.literalMinus, .literalPlus]) == .plus)
        #expect(LiteralSupport([.literalMinus]) == .minus)
        #expect(LiteralSupport([.id]) == .synchronizing)
    }

    @Test(
        "an argument that could contain a second command is refused",
        arguments: [
            (.uidStore([1], .add(["a\r\nA2 LOGOUT"])), .invalidFlag("a\r\nA2 LOGOUT")),
            (.uidStore([1], .add(["a) (b"])), .invalidFlag("a) (b")),
            (.uidStore([1], .add([""])), .invalidFlag("")),
            (.uidStore([1], .add(["\\"])), .invalidFlag("\\")),
            (.uidStore([1], .add(["grün"])), .invalidFlag("grün")),
            (.uidSearch(.header(name: "a b", value: "x"), extended: false), .invalidFieldName("a b")),
            (.uidSearch(.header(name: "", value: "x"), extended: false), .invalidFieldName("")),
            (.create([0x41, 0]), .nul(command: "CREATE", offset: 1)),
            (
                .append(AppendRequest(mailbox: bytes("x"), message: ByteBuffer(bytes: [0]))),
                .nul(command: "APPEND", offset: 0)
            ),
            (.uidFetch([], .flags), .emptySet(command: "UID FETCH")),
            (.uidMove([], to: bytes("x")), .emptySet(command: "UID MOVE")),
        ] as [(Command, EncodingError)])
    func refuse(_ command: Command, _ error: EncodingError) {
        #expect(throws: error) { try wire(command) }
    }

    @Test("no command line is longer than 8,000 bytes")
    func longestLine() throws {
        let set = UIDSet((1...4_000).map { UInt32($0 * 2 + 1_000_000) })
        #expect(throws: EncodingError.lineTooLong(command: "UID FETCH", actual: 32_024, maximum: 8_000)) {
            try wire(.uidFetch(set, .flags))
        }
        for piece in set.split(maximumBytes: 6_000) {
            #expect(try wire(.uidFetch(piece, .flags)).utf8.count <= 8_002)
        }
    }

    @Test("a command with a password does not print it")
    func secret() throws {
        for command in [
            Command.login(user: "ann", password: Secret("hunter2")),
            .authenticate(mechanism: "PLAIN", initialResponse: Secret("hunter2")),
        ] {
            let encoded = try command.encode(tag: CommandTag(rawValue: "A1"), literals: .plus)
            var dumped = ""
            dump(encoded, to: &dumped)
            dump(command, to: &dumped)
            #expect(!(dumped + "\(encoded)\(command)" + String(reflecting: encoded)).contains("hunter2"))
        }
    }

    @Test("the client has no EXPUNGE without UIDs, no CLOSE, and no command that replaces all flags")
    func nothingDestructive() throws {
        let all: [Command] = [
            .capability, .noop, .logout, .startTLS, .id([]), .list(.plain), .create([]),
            .select(SelectRequest([])), .status([], [.messages]),
            .uidFetch([1], .flags),
            .uidStore([1], .add(["a"])), .uidMove([1], to: []), .uidCopy([1], to: []), .uidExpunge([1]),
            .uidSearch(.all, extended: false),
        ]
        for command in all {
            let line = try wire(command)
            #expect(!line.hasPrefix("A1 EXPUNGE"))
            #expect(!line.hasPrefix("A1 CLOSE"))
            #expect(!line.contains(" FLAGS (") || line.contains("FETCH"))
        }
    }
}
