import IMAPProtocol
import NIOCore
import TestSupport
import Testing
import Transport

@testable import IMAPClient

@Suite struct MailboxTests {
    @Test("LIST requests roles if the server supports it")
    func listWithRoles() async throws {
        try await talk(
            .login("IMAP4rev1 SPECIAL-USE LIST-EXTENDED") + [
                .client(#"A4 LIST "" "*" RETURN (SPECIAL-USE)"#),
                .server(#"* LIST (\HasNoChildren) "/" INBOX"#),
                .server(#"* LIST (\Archive) "/" "Entw&APw-rfe""#),
                .server("A4 OK done"),
            ]
        ) { client in
            let found = try await client.mailboxes.list()
            #expect(found.map(\.displayName) == ["INBOX", "Entwürfe"])
            #expect(found.map(\.role) == [.inbox, .archive])
            #expect(found.last?.name == bytes("Entw&APw-rfe"))
        }
    }

    @Test(
        "if the extended LIST is BAD or lacks INBOX, only the plain LIST is used from then on",
        arguments: [
            [Line.server("* LIST () \"/\" Sent"), .server("A4 OK done")], [.server("A4 BAD what")],
        ])
    func listFallsBack(_ answer: [Line]) async throws {
        try await talk(
            .login("IMAP4rev1 SPECIAL-USE LIST-EXTENDED") + [.client(#"A4 LIST "" "*" RETURN (SPECIAL-USE)"#)]
                + answer + [
                    .client(#"A5 LIST "" "*""#),
                    .server("* LIST () \"/\" INBOX"),
                    .server("A5 OK done"),
                    .client(#"A6 LIST "" "*""#),
                    .server("* LIST () \"/\" INBOX"),
                    .server("A6 OK done"),
                ]
        ) { client in
            for _ in 1...2 {
                let found = try await client.mailboxes.list()
                #expect(found.map(\.role) == [.inbox])
            }
        }
    }

    @Test(
        "a list without INBOX is not complete, except in an account without INBOX",
        arguments: [
            ([], "NO no", true), (["* LIST () \"/\" Work"], "OK done", true),
            (["* LIST () \"/\" Shared"], "NO [NONEXISTENT] no", false),
        ])
    func incompleteList(_ names: [String], _ inbox: String, _ fails: Bool) async throws {
        try await talk(
            .login("IMAP4rev1") + [.client(#"A4 LIST "" "*""#)] + names.map { Line.server($0) } + [
                .server("A4 OK done"), .client("A5 STATUS INBOX (MESSAGES)"), .server("A5 \(inbox)"),
            ]
        ) { client in
            do {
                let found = try await client.mailboxes.list()
                #expect(!fails && found.map(\.displayName) == ["Shared"])
            } catch {
                #expect(fails && "\(error)".contains("has no INBOX"))
            }
        }
    }

    @Test("SELECT and the STATUS of a destination are one turn")
    func selectWithNumbers() async throws {
        try await talk(
            .login("IMAP4rev1 CONDSTORE") + [
                .client("A4 SELECT INBOX (CONDSTORE)"),
                .client("A5 STATUS Archive (MESSAGES UIDNEXT UIDVALIDITY UNSEEN HIGHESTMODSEQ)"),
                .server("* 2 EXISTS"), .server("* OK [UIDVALIDITY 7] ok"), .server("* OK [UIDNEXT 5] ok"),
                .server("A4 OK [READ-WRITE] done"),
                .server("* STATUS Archive (MESSAGES 3 UIDNEXT 44 UIDVALIDITY 9 UNSEEN 0 HIGHESTMODSEQ 8)"),
                .server("* 3 EXISTS"), .server("A5 OK done"),
                .client("A6 UID FETCH 1 (UID FLAGS)"), .server("A6 OK done"),
            ]
        ) { client in
            let opened = try await client.mailboxes.select(bytes("INBOX"), numbersOf: [bytes("Archive")])
            #expect(opened.mailbox.uidValidity == 7)
            #expect(
                opened.mailbox.uidNext == 5, "the number of the other mailbox is not taken for this one's")
            #expect(opened.mailbox.exists == 3)
            #expect(opened.numbers[bytes("Archive")]?.uidNext == 44)
            try await client.messages.fetch([1], FetchItems(flags: true)) { _ in }
        }
    }

    @Test("a refused SELECT opens nothing, and a form that was BAD is not tried again")
    func selectWithNumbersFails() async throws {
        try await talk(
            .login("IMAP4rev1 CONDSTORE") + [
                .client("A4 SELECT INBOX (CONDSTORE)"),
                .client("A5 STATUS Archive (MESSAGES UIDNEXT UIDVALIDITY UNSEEN HIGHESTMODSEQ)"),
                .server("A4 BAD what"), .server("A5 NO [NONEXISTENT] no such mailbox"),
                .client("A6 SELECT INBOX"), .server("* OK [UIDVALIDITY 7] ok"), .server("A6 OK done"),
                .client("A7 SELECT Gone"),
                .client("A8 STATUS Archive (MESSAGES UIDNEXT UIDVALIDITY UNSEEN HIGHESTMODSEQ)"),
                .server("A7 NO [NONEXISTENT] gone"), .server("A8 NO [NONEXISTENT] no such mailbox"),
            ]
        ) { client in
            let opened = try await client.mailboxes.select(bytes("INBOX"), numbersOf: [bytes("Archive")])
            #expect(opened.mailbox.uidValidity == 7)
            #expect(opened.numbers.isEmpty)
            await #expect(throws: IMAPClientError.self) {
                _ = try await client.mailboxes.select(bytes("Gone"), numbersOf: [bytes("Archive")])
            }
        }
    }

    @Test("SELECT returns what the mailbox contains")
    func select() async throws {
        try await talk(
            .login("IMAP4rev1 CONDSTORE") + [
                .client("A4 SELECT INBOX (CONDSTORE)"),
                .server(#"* FLAGS (\Seen x)"#),
                .server("* 172 EXISTS"),
                .server("* 1 RECENT"),
                .server("* OK [UIDVALIDITY 3857529045] ok"),
                .server("* OK [UIDNEXT 4392] ok"),
                .server(#"* OK [PERMANENTFLAGS (\Seen \*)] ok"#),
                .server("* OK [HIGHESTMODSEQ 715194045007]"),
                .server("A4 OK [READ-WRITE] done"),
            ]
        ) { client in
            let box = try await client.mailboxes.select(bytes("INBOX"))
            #expect(
                box
                    == SelectedMailbox(
                        name: bytes("INBOX"), exists: 172, uidValidity: 3_857_529_045, uidNext: 4_392,
                        highestModSeq: 715_194_045_007, permanentFlags: ["\\Seen"], allowsNewKeywords: true))
            #expect(await client.selected == bytes("INBOX"))
        }
    }

    @Test("a mailbox without new keywords and MODSEQ is reported as such, and EXAMINE is read-only")
    func examine() async throws {
        try await talk(
            .login("IMAP4rev1 CONDSTORE") + [
                .client("A4 EXAMINE INBOX (CONDSTORE)"),
                .server("A4 BAD what"),
                .client("A5 EXAMINE INBOX"),
                .server(#"* OK [PERMANENTFLAGS (\Seen)] ok"#),
                .server("* OK [NOMODSEQ] none"),
                .server("A5 OK done"),
                .client("A6 SELECT x"),
                .server("A6 OK [READ-ONLY] done"),
            ]
        ) { client in
            let box = try await client.mailboxes.select(bytes("INBOX"), readOnly: true)
            #expect(box.isReadOnly)
            #expect(!box.allowsNewKeywords)
            #expect(box.highestModSeq == nil)
            #expect(box.uidValidity == 0)
            #expect(try await client.mailboxes.select(bytes("x")).isReadOnly)
        }
    }

    @Test("after a refused SELECT no mailbox is open, and the connection can still be used")
    func selectRefused() async throws {
        try await talk(
            .selected() + [
                .client("A5 SELECT {2}"),
                .server("+ go"),
                .client("\u{FC}"),
                .server("A5 NO [NONEXISTENT] no such box"),
                .client("A6 NOOP"),
                .server("A6 OK done"),
            ]
        ) { client in
            _ = try await client.mailboxes.select(bytes("INBOX"))
            let refusal = IMAPClientError.refused(
                command: "SELECT", status: .no, code: .nonExistent, text: "no such box")
            await #expect(throws: refusal) { try await client.mailboxes.select(bytes("ü")) }
            await #expect(throws: IMAPClientError.noMailboxSelected) {
                try await client.messages.search(.all)
            }
            try await client.noop()
        }
    }

    @Test("STATUS reads numbers, and CREATE makes a mailbox")
    func statusAndCreate() async throws {
        try await talk(
            .login() + [
                .client("A4 STATUS Archive (MESSAGES UIDNEXT UIDVALIDITY UNSEEN)"),
                .server("* STATUS Archive (MESSAGES 3 UIDNEXT 9 UIDVALIDITY 7) "),
                .server("A4 OK done"),
                .client("A5 CREATE \"Waiting for\""),
                .server("A5 NO [ALREADYEXISTS] it is there"),
            ]
        ) { client in
            let status = try await client.mailboxes.status(bytes("Archive"))
            #expect(status == MailboxStatus(name: bytes("Archive"), messages: 3, uidNext: 9, uidValidity: 7))
            let refusal = IMAPClientError.refused(
                command: "CREATE", status: .no, code: .alreadyExists, text: "it is there")
            await #expect(throws: refusal) { try await client.mailboxes.create(bytes("Waiting for")) }
        }
    }

    @Test("untagged responses are accepted at any time, and unreadable ones are skipped")
    func unsolicited() async throws {
        try await talk(
            .login() + [
                .client("A4 NOOP"),
                .server("* 4 EXISTS"),
                .server("* LIST (\\broken"),
                .server("* VANISHED 1:3"),
                .server("* 2 FETCH (FLAGS (\\Seen))"),
                .server("* XGARBAGE 1 2 3"),
                .server("* OK [ALERT] the disk is full"),
                .server("* CAPABILITY IMAP4rev1 MOVE"),
                .server("A4 OK done"),
            ]
        ) { client in
            try await client.noop()
            #expect(await client.unparsableCount == 1)
            #expect(await client.alerts == ["the disk is full"])
            #expect(await client.capabilities.contains(.move))
        }
    }

    @Test("LOGOUT waits for the reply, and later calls fail as closed")
    func logout() async throws {
        try await talk(
            .login() + [.client("A4 LOGOUT"), .server("* BYE see you"), .server("A4 OK done")]
        ) { client in
            await client.logout()
            await client.logout()
            await #expect(throws: IMAPClientError.loggedOut) { try await client.noop() }
        }
    }

    @Test("BYE ends the session, and every later call throws the same error")
    func bye() async throws {
        try await talk(.login() + [.client("A4 NOOP"), .server("* BYE shutting down")]) { client in
            for _ in 0..<2 {
                await #expect(throws: IMAPClientError.bye("shutting down")) { try await client.noop() }
            }
            await #expect(throws: IMAPClientError.bye("shutting down")) { try await client.mailboxes.list() }
        }
    }

    @Test("a line beyond the limit ends the session")
    func limit() async throws {
        let transcript: [Line] =
            .login() + [.client("A4 NOOP"), .raw(String(repeating: "x", count: 200_000))]
        try await talk(transcript) { client in
            let error = try #require(
                await #expect(throws: IMAPClientError.self) { try await client.noop() })
            guard case .limit(.lineTooLong(_, maximum: 65_536)) = error else {
                Issue.record("\(error)")
                return
            }
            await #expect(throws: error) { try await client.noop() }
        }
    }

    @Test("calls from several tasks wait for their turn")
    func turns() async throws {
        let transcript: [Line] =
            .login()
            + (4..<12).flatMap { number in
                [.client("A\(number) NOOP"), .pause, .server("A\(number) OK done")] as [Line]
            }
        try await talk(transcript) { client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 4..<12 { group.addTask { try await client.noop() } }
                try await group.waitForAll()
            }
        }
    }
}
