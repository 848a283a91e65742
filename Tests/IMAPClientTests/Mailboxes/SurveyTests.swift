import IMAPProtocol
import TestSupport
import Testing
import Transport

@testable import IMAPClient

private let modern = "IMAP4rev1 ENABLE CONDSTORE QRESYNC LIST-EXTENDED LIST-STATUS SPECIAL-USE UIDPLUS"
private let numbers = "(MESSAGES UIDNEXT UIDVALIDITY HIGHESTMODSEQ)"

/// ENABLE and LIST, and a server that agrees; the next command is A6.
private let enabled: [Line] =
    .login(modern) + [
        .client("A4 ENABLE QRESYNC"),
        .client(#"A5 LIST "" "*" RETURN (SPECIAL-USE STATUS \#(numbers))"#),
        .server("* ENABLED QRESYNC"),
        .server("A4 OK done"),
        .server(#"* LIST () "/" INBOX"#),
        .server("* STATUS INBOX (MESSAGES 3 UIDNEXT 10 UIDVALIDITY 77 HIGHESTMODSEQ 50)"),
        .server("A5 OK done"),
    ]

/// Dovecot's greeting, and its OK to the login; the next command is A2.
private let capabilitiesAtLogin: [Line] = [
    .server("* OK [CAPABILITY IMAP4rev1 ID AUTH=PLAIN SASL-IR] Dovecot ready"),
    .client("A1 AUTHENTICATE PLAIN AGFubgBodW50ZXIy"),
    .server("A1 OK [CAPABILITY \(modern) ID] Logged in"),
]

private let known = ResyncState(uidValidity: 77, modSeq: 50, knownUIDs: UIDSet(1...9))

@Suite struct SurveyTests {
    @Test("a server that offered ID before the login gets CAPABILITY and ID in one turn")
    func openedInOneTurn() async throws {
        try await talk([
            .server("* OK ready"),
            .client("A1 CAPABILITY"),
            .server("* CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR ID"),
            .server("A1 OK done"),
            .client("A2 AUTHENTICATE PLAIN AGFubgBodW50ZXIy"),
            .server("A2 OK welcome"),
            .client("A3 CAPABILITY"),
            .client(#"A4 ID ("name" "opus" "version" "0.1" "vendor" "Magnum Opus")"#),
            .server("* CAPABILITY IMAP4rev1 ID MOVE"),
            .server("A3 OK done"),
            .server(#"* ID ("name" "Dovecot")"#),
            .server("A4 OK done"),
            .client("A5 NOOP"),
            .server("A5 OK done"),
        ]) { client in
            #expect(await client.profile.kind == .dovecot)
            #expect(await client.capabilities.contains(.move))
            try await client.noop()
        }
    }

    @Test("if the greeting after the login names the capabilities, everything else is one turn")
    func loginThatTellsAll() async throws {
        try await talk(
            capabilitiesAtLogin + [
                .clientBytes(
                    "A2 CAPABILITY\r\n"
                        + "A3 ID (\"name\" \"opus\" \"version\" \"0.1\" \"vendor\" \"Magnum Opus\")\r\n"
                        + "A4 ENABLE QRESYNC\r\n"
                        + "A5 LIST \"\" \"*\" RETURN (SPECIAL-USE STATUS \(numbers))\r\n"),
                .server("* CAPABILITY \(modern) ID MOVE"),
                .server("A2 OK done"),
                .server(#"* ID ("name" "Dovecot")"#),
                .server("A3 OK done"),
                .server("* ENABLED QRESYNC"),
                .server("A4 OK done"),
                .server(#"* LIST () "/" INBOX"#),
                .server("* STATUS INBOX (MESSAGES 3 UIDNEXT 10 UIDVALIDITY 77 HIGHESTMODSEQ 50)"),
                .server("A5 OK done"),
                .client("A6 NOOP"),
                .server("A6 OK done"),
            ]
        ) { client in
            let found = try await client.mailboxes.survey()
            #expect(found.map(\.status?.messages) == [3])
            #expect(await client.changeReporting == .qresync)
            #expect(await client.capabilities.contains(.move))
            try await client.noop()
        }
    }

    @Test("with UTF8=ACCEPT, names are UTF-8 on the wire and modified UTF-7 in the program")
    func namesInUTF8() async throws {
        try await ScriptedServer.play(
            .login("IMAP4rev1 ENABLE UTF8=ACCEPT") + [
                .client("A4 ENABLE UTF8=ACCEPT"),
                .client(#"A5 LIST "" "*""#),
                .server("* ENABLED UTF8=ACCEPT"),
                .server("A4 OK done"),
                .server(#"* LIST () "/" INBOX"#),
                .server(#"* LIST () "/" "Entwürfe & Co""#),
                .server("A5 OK done"),
                .client(#"A6 EXAMINE "Entwürfe & Co""#),
                .server("A6 OK [READ-ONLY] done"),
            ]
        ) { endpoint in
            var settings = configuration(endpoint)
            settings.acceptsUTF8 = true
            let client = try await IMAPConnection.connect(settings, logger: quiet)
            let names = try await client.mailboxes.survey().map(\.listing)
            #expect(names.map(\.name) == [bytes("INBOX"), bytes("Entw&APw-rfe &- Co")])
            #expect(names.map(\.displayName) == ["INBOX", "Entwürfe & Co"])
            _ = try await client.mailboxes.select(bytes("Entw&APw-rfe &- Co"), readOnly: true)
            await client.connection.close()
        }
    }

    @Test("UTF8=ACCEPT is enabled only if it is configured")
    func namesInUTF7() async throws {
        try await talk(
            .login("IMAP4rev1 ENABLE UTF8=ACCEPT") + [
                .client(#"A4 LIST "" "*""#), .server(#"* LIST () "/" INBOX"#), .server("A4 OK done"),
            ]
        ) { client in
            let found = try await client.mailboxes.survey()
            #expect(found.count == 1)
        }
    }

    @Test("capabilities are requested first if the login did not report them")
    func introducedBeforeAnythingElse() async throws {
        try await talk(
            capabilitiesAtLogin + [
                .client("A2 CAPABILITY"),
                .client(#"A3 ID ("name" "opus" "version" "0.1" "vendor" "Magnum Opus")"#),
                .server("* CAPABILITY IMAP4rev1 ID"),
                .server("A2 OK done"),
                .server("A3 OK done"),
                .client("A4 NOOP"),
                .server("A4 OK done"),
                .client("A5 NOOP"),
                .server("A5 OK done"),
            ]
        ) { client in
            try await client.noop()
            try await client.noop()
            #expect(await client.capabilities == [.imap4rev1, .id])
        }
    }

    @Test("with QRESYNC, one turn reads the numbers of all mailboxes")
    func oneTurn() async throws {
        try await talk(enabled) { client in
            let found = try await client.mailboxes.survey()
            #expect(found.map(\.listing.role) == [.inbox])
            #expect(
                found.map(\.status) == [
                    MailboxStatus(
                        name: bytes("INBOX"), messages: 3, uidNext: 10, uidValidity: 77, highestModSeq: 50)
                ])
            #expect(await client.changeReporting == .qresync)
        }
    }

    @Test("without LIST-STATUS, each mailbox gets its own STATUS, all in one turn")
    func statusOfEach() async throws {
        try await talk(
            .login("IMAP4rev1 CONDSTORE SPECIAL-USE LIST-EXTENDED") + [
                .client(#"A4 LIST "" "*" RETURN (SPECIAL-USE)"#),
                .server(#"* LIST () "/" INBOX"#),
                .server(#"* LIST (\All) "/" All"#),
                .server(#"* LIST () "/" Work"#),
                .server(#"* LIST (\Noselect) "/" Top"#),
                .server("A4 OK done"),
                .client("A5 STATUS INBOX \(numbers)"),
                .client("A6 STATUS Work \(numbers)"),
                .server("* STATUS Work (MESSAGES 1 UIDVALIDITY 7)"),
                .server("A6 OK done"),
                .server("A5 NO not now"),
            ]
        ) { client in
            let found = try await client.mailboxes.survey { $0.role != .all }
            #expect(found.map { $0.status?.messages } == [nil, nil, 1, nil])
            #expect(await client.changeReporting == .condstore)
        }
    }

    @Test("without CONDSTORE, only the names of mailboxes are requested")
    func nothingToProve() async throws {
        try await talk(
            .login("IMAP4rev1 LIST-EXTENDED LIST-STATUS SPECIAL-USE") + [
                .client(#"A4 LIST "" "*" RETURN (SPECIAL-USE)"#),
                .server(#"* LIST () "/" INBOX"#),
                .server("A4 OK done"),
            ]
        ) { client in
            let found = try await client.mailboxes.survey()
            #expect(found.map(\.status) == [nil])
            #expect(await client.changeReporting == .none)
        }
    }

    @Test(
        "if the extended LIST is BAD or lacks INBOX, the plain LIST is used",
        arguments: ["A4 BAD what", "A4 OK done"])
    func plainList(_ end: String) async throws {
        try await talk(
            .login("IMAP4rev1 CONDSTORE LIST-EXTENDED LIST-STATUS") + [
                .client(#"A4 LIST "" "*" RETURN (STATUS \#(numbers))"#),
                .server(end),
                .client(#"A5 LIST "" "*""#),
                .server(#"* LIST () "/" INBOX"#),
                .server("A5 OK done"),
                .client("A6 STATUS INBOX \(numbers)"),
                .server("* STATUS INBOX (MESSAGES 3)"),
                .server("A6 OK done"),
            ]
        ) { client in
            let found = try await client.mailboxes.survey()
            #expect(found.map { $0.status?.messages } == [3])
        }
    }

    @Test("QRESYNC is never enabled on iCloud")
    func icloud() async throws {
        try await talk(
            .login(modern + " AUTH=ATOKEN") + [
                .client(#"A4 LIST "" "*" RETURN (SPECIAL-USE STATUS \#(numbers))"#),
                .server(#"* LIST () "/" INBOX"#),
                .server("A4 OK done"),
                .client("A5 STATUS INBOX \(numbers)"),
                .server("A5 OK done"),
            ]
        ) { client in
            _ = try await client.mailboxes.survey()
            #expect(await client.profile.kind == .icloud)
            #expect(await client.changeReporting == .condstore)
        }
    }

    @Test("if the server refuses ENABLE, CONDSTORE is used")
    func enableRefused() async throws {
        try await talk(
            .login(modern) + [
                .client("A4 ENABLE QRESYNC"),
                .client(#"A5 LIST "" "*" RETURN (SPECIAL-USE STATUS \#(numbers))"#),
                .server("A4 BAD what"),
                .server(#"* LIST () "/" INBOX"#),
                .server("* STATUS INBOX (MESSAGES 3)"),
                .server("A5 OK done"),
                .client("A6 EXAMINE INBOX (CONDSTORE)"),
                .server("A6 OK done"),
            ]
        ) { client in
            _ = try await client.mailboxes.survey()
            #expect(await client.changeReporting == .condstore)
            let box = try await client.mailboxes.select(bytes("INBOX"), readOnly: true, since: known)
            #expect(box.changes == nil)
        }
    }
}

@Suite struct ResynchronizeTests {
    @Test("SELECT with QRESYNC reports the changes, and data before CLOSED is dropped")
    func select() async throws {
        try await talk(
            enabled + [
                .client("A6 EXAMINE INBOX (QRESYNC (77 50 1:9))"),
                .server("* 9 EXISTS"),
                .server("* 1 FETCH (UID 8 FLAGS (\\Draft) MODSEQ (3))"),
                .server("* VANISHED (EARLIER) 1:9"),
                .server("* OK [CLOSED] closed"),
                .server("* 3 EXISTS"),
                .server("* OK [UIDVALIDITY 77] valid"),
                .server("* OK [HIGHESTMODSEQ 60] modseq"),
                .server("* VANISHED (EARLIER) 3,5:7"),
                .server("* 1 FETCH (UID 2 FLAGS (\\Seen x) MODSEQ (55))"),
                .server("* 1 FETCH (UID 2 FLAGS () MODSEQ (56))"),
                .server("A6 OK [READ-ONLY] done"),
            ]
        ) { client in
            _ = try await client.mailboxes.survey()
            let box = try await client.mailboxes.select(bytes("INBOX"), readOnly: true, since: known)
            #expect(box.exists == 3)
            #expect(box.highestModSeq == 60)
            #expect(box.changes?.vanished == [3...3, 5...7])
            #expect(
                box.changes?.flags == [
                    FlagEcho(uid: 2, flags: ["\\Seen", "x"], modSeq: 55),
                    FlagEcho(uid: 2, flags: [], modSeq: 56),
                ])
            #expect(box.changes?.isComplete == true)
        }
    }

    @Test(
        "a response that cannot be parsed or lacks a UID makes the changes incomplete",
        arguments: ["* VANISHED (EARLIER) 1:", "* 2 FETCH (FLAGS (", "* 2 FETCH (FLAGS ())"])
    func incomplete(_ line: String) async throws {
        try await talk(
            enabled + [
                .client("A6 EXAMINE INBOX (QRESYNC (77 50 1:9))"),
                .server(line),
                .server("A6 OK done"),
            ]
        ) { client in
            _ = try await client.mailboxes.survey()
            let box = try await client.mailboxes.select(bytes("INBOX"), readOnly: true, since: known)
            #expect(box.changes?.isComplete == false)
        }
    }

    @Test("if SELECT with QRESYNC is BAD, CONDSTORE is used from then on")
    func refused() async throws {
        try await talk(
            enabled + [
                .client("A6 EXAMINE INBOX (QRESYNC (77 50 1:9))"),
                .server("A6 BAD what"),
                .client("A7 EXAMINE INBOX (CONDSTORE)"),
                .server("A7 OK done"),
                .client("A8 EXAMINE INBOX (CONDSTORE)"),
                .server("A8 OK done"),
            ]
        ) { client in
            _ = try await client.mailboxes.survey()
            for _ in 0..<2 {
                let box = try await client.mailboxes.select(bytes("INBOX"), readOnly: true, since: known)
                #expect(box.changes == nil)
            }
            #expect(await client.changeReporting == .condstore)
        }
    }

    @Test("a server that takes one message per command gets one message per command")
    func oneByOne() async throws {
        try await talk(
            .login("IMAP4rev1 XYMHIGHESTMODSEQ MOVE") + [
                .client("A4 SELECT INBOX"),
                .server("A4 OK done"),
                .client("A5 UID MOVE 4 Trash"),
                .server("A5 OK [COPYUID 1 4 40] done"),
                .client("A6 UID MOVE 5 Trash"),
                .server("A6 OK [COPYUID 1 5 41] done"),
            ]
        ) { client in
            _ = try await client.mailboxes.select(bytes("INBOX"))
            let proof = try await client.messages.move([4, 5], to: bytes("Trash"))
            #expect(proof?.destinations == [40, 41])
        }
    }
}
