import IMAPProtocol
import NIOCore
import TestSupport
import Testing
import Transport

@testable import IMAPClient

@Suite struct MessageTests {
    @Test("STORE returns only the flags that the server reported")
    func store() async throws {
        try await talkInMailbox(
            .selected() + [
                .client("A5 UID STORE 5,7:8 +FLAGS (\\Seen $Todo)"),
                .server("* 1 FETCH (UID 5 FLAGS (\\Seen $Todo))"),
                .server("* 9 FETCH (UID 99 FLAGS (\\Seen))"),
                .server("* 3 FETCH (FLAGS (\\Seen $Todo) UID 8 MODSEQ (12))"),
                .server("A5 OK done"),
                .client("A6 UID STORE 5 -FLAGS (\\Seen)"),
                .server("A6 NO cannot"),
            ]
        ) { client in
            let echoes = try await client.messages.store([5, 7, 8], .add(["\\Seen", "$Todo"]))
            #expect(
                echoes == [
                    FlagEcho(uid: 5, flags: ["\\Seen", "$Todo"]),
                    FlagEcho(uid: 8, flags: ["\\Seen", "$Todo"], modSeq: 12),
                ])
            await #expect(throws: IMAPClientError.self) {
                try await client.messages.store([5], .remove(["\\Seen"]))
            }
        }
    }

    @Test(
        "the proof of a move is found in any response, in the server's order",
        arguments: [
            ["* OK [COPYUID 9 5:6 31,30] moved", "* 1 EXPUNGE", "* 1 EXPUNGE", "A5 OK done"],
            ["* VANISHED 5:6", "A5 OK [COPYUID 9 5:6 31,30] done"],
            ["* [COPYUID 9 5:6 31,30]", "A5 OK done"],
            ["* OK [COPYUID 9 5 31] moved", "* OK [COPYUID 9 6 30] moved", "A5 OK done"],
        ])
    func move(_ answer: [String]) async throws {
        try await talkInMailbox(
            .selected("IMAP4rev1 MOVE") + [.client("A5 UID MOVE 5:6 Archive")] + answer.map(Line.server)
        ) { client in
            let proof = try await client.messages.move([6, 5], to: bytes("Archive"))
            #expect(proof == CopyUID(uidValidity: 9, sources: [5, 6], destinations: [31, 30]))
            #expect(proof?.destination(of: 6) == 30)
            #expect(proof?.destination(of: 7) == nil)
        }
    }

    @Test("OK without COPYUID proves nothing")
    func moveWithoutProof() async throws {
        try await talkInMailbox(
            .selected("IMAP4rev1 MOVE") + [
                .client("A5 UID MOVE 5 Archive"), .server("A5 OK [COPYUID 9 5:6 30] done"),
                .client("A6 UID COPY 5 Archive"), .server("A6 NO [TRYCREATE] make it first"),
            ]
        ) { client in
            let proof = try await client.messages.move([5], to: bytes("Archive"))
            #expect(proof == nil)
            let refusal = IMAPClientError.refused(
                command: "UID COPY", status: .no, code: .tryCreate, text: "make it first")
            await #expect(throws: refusal) { try await client.messages.copy([5], to: bytes("Archive")) }
        }
    }

    @Test("unsupported commands are not tried")
    func missingCapabilities() async throws {
        try await talkInMailbox(.selected()) { client in
            await #expect(throws: IMAPClientError.missingCapability(.move)) {
                try await client.messages.move([5], to: bytes("Archive"))
            }
            await #expect(throws: IMAPClientError.missingCapability(.uidPlus)) {
                try await client.messages.expunge([5])
            }
            await #expect(throws: IMAPClientError.missingCapability(.condstore)) {
                try await client.messages.fetch([5], FetchItems(flags: true, changedSince: 4)) { _ in }
            }
            await #expect(throws: IMAPClientError.invalidRequest(.invalidFlag("a b"))) {
                try await client.messages.store([5], .add(["a b"]))
            }
        }
    }

    @Test("only the named messages are expunged")
    func expunge() async throws {
        try await talkInMailbox(
            .selected("IMAP4rev1 UIDPLUS") + [
                .client("A5 UID EXPUNGE 5"), .server("* 1 EXPUNGE"), .server("A5 OK done"),
            ]
        ) { client in try await client.messages.expunge([5]) }
    }

    @Test("UID EXPUNGE is not sent to a server where it is unsafe")
    func unsafeExpunge() async throws {
        try await talkInMailbox(
            .selected("IMAP4rev1 UIDPLUS").map { line in
                guard case .server("* OK ready") = line else { return line }
                return .server("* OK Proton Mail Bridge ready")
            }
        ) { client in
            await #expect(throws: IMAPClientError.unsafe(command: "UID EXPUNGE", server: .proton)) {
                try await client.messages.expunge([5])
            }
            #expect("\(IMAPClientError.unsafe(command: "UID EXPUNGE", server: .proton))".contains("proton"))
        }
    }

    @Test("labels are sent as Gmail gave them, and the response has the present ones")
    func labels() async throws {
        try await talkInMailbox(
            .selected("IMAP4rev1 X-GM-EXT-1") + [
                .client(#"A5 UID STORE 5:6 -X-GM-LABELS (\Inbox "R&AOk-sum")"#),
                .server(#"* 1 FETCH (UID 5 X-GM-LABELS (\Important work))"#),
                .server(#"* 2 FETCH (UID 6 FLAGS ())"#),
                .server(#"* 3 FETCH (UID 99 X-GM-LABELS (x))"#),
                .server("A5 OK done"),
            ]
        ) { client in
            let echoes = try await client.messages.storeLabels(
                [5, 6], .remove([bytes("\\Inbox"), bytes("R&AOk-sum")]))
            #expect(echoes == [LabelEcho(uid: 5, labels: [bytes("\\Important"), bytes("work")])])
        }
        try await talkInMailbox(.selected()) { client in
            await #expect(throws: IMAPClientError.missingCapability(.gmail)) {
                try await client.messages.storeLabels([5], .add([bytes("x")]))
            }
        }
    }

    @Test("a long move is split into commands, and an error keeps the proof of the earlier ones")
    func longMove() async throws {
        let uids = UIDSet((1...1_500).map { UInt32($0 * 2 + 100_000) })
        let parts = uids.split(maximumBytes: 6_000)
        #expect(parts.count == 2)
        try await talkInMailbox(
            .selected("IMAP4rev1 MOVE") + [
                .client("A5 UID MOVE \(parts[0]) Archive"),
                .server("A5 OK [COPYUID 9 100002 1] done"),
                .client("A6 UID MOVE \(parts[1]) Archive"),
                .server("A6 NO [OVERQUOTA] full"),
            ]
        ) { client in
            let error = IMAPClientError.partlyDone(
                CopyUID(uidValidity: 9, sources: [100_002], destinations: [1]),
                cause: .refused(command: "UID MOVE", status: .no, code: .overQuota, text: "full"))
            await #expect(throws: error) { try await client.messages.move(uids, to: bytes("Archive")) }
        }
    }

    @Test("both forms of SEARCH return ascending UIDs")
    func search() async throws {
        try await talkInMailbox(
            .selected() + [
                .client(#"A5 UID SEARCH HEADER Message-ID "<a@b>""#),
                .server("* SEARCH 9 3"), .server("* SEARCH 5"), .server("A5 OK done"),
            ]
        ) { client in
            let found = try await client.messages.search(.header(name: "Message-ID", value: "<a@b>"))
            #expect(found == [3, 5, 9])
        }
        try await talkInMailbox(
            .selected("IMAP4rev1 ESEARCH") + [
                .client("A5 UID SEARCH RETURN (ALL) ALL"),
                .server("* ESEARCH (TAG \"A5\") UID ALL 2:4,9"), .server("A5 OK done"),
                .client("A6 UID SEARCH RETURN (ALL) UID 7"),
                .server("* ESEARCH (TAG \"A6\") UID"), .server("A6 OK done"),
            ]
        ) { client in
            let all = try await client.messages.search(.all)
            #expect(all == [2, 3, 4, 9])
            let none = try await client.messages.search(.uids([7]))
            #expect(none == [])
        }
    }

    @Test("a search result that names every number is refused")
    func searchBomb() async throws {
        try await talkInMailbox(
            .selected("IMAP4rev1 ESEARCH") + [
                .client("A5 UID SEARCH RETURN (ALL) ALL"),
                .server("* ESEARCH (TAG \"A5\") UID ALL 1:4294967295"), .server("A5 OK done"),
            ]
        ) { client in
            await #expect(throws: IMAPClientError.self) { try await client.messages.search(.all) }
        }
    }

    @Test("APPEND sends the message after the server's continuation")
    func append() async throws {
        try await talk(
            .login() + [
                .client(#"A4 APPEND Sent (\Seen) "17-Jul-1996 09:44:25 +0000" {9}"#),
                .pause,
                .server("* OK still here"),
                .server("+ send it"),
                .clientBytes("a: b\r\n\r\nc\r\n"),
                .server("* 4 EXISTS"),
                .server("A4 OK [APPENDUID 38505 3955] done"),
            ]
        ) { client in
            let message = ByteBuffer(string: "a: b\r\n\r\nc")
            let place = try await client.messages.append(
                to: bytes("Sent"), flags: ["\\Seen"], internalDate: 837_596_665, message: message)
            #expect(place == AppendUID(uidValidity: 38_505, uid: 3_955))
        }
    }

    @Test("if the server refuses APPEND, the message is not sent and the connection stays usable")
    func appendRefused() async throws {
        try await talk(
            .login() + [
                .client("A4 APPEND Gone {9}"),
                .server("A4 NO [TRYCREATE] no such box"),
                .client("A5 NOOP"),
                .server("A5 OK done"),
            ]
        ) { client in
            let message = ByteBuffer(string: "a: b\r\n\r\nc")
            let refusal = IMAPClientError.refused(
                command: "APPEND", status: .no, code: .tryCreate, text: "no such box")
            await #expect(throws: refusal) {
                try await client.messages.append(to: bytes("Gone"), message: message)
            }
            try await client.noop()
        }
    }

    @Test("a message beyond APPENDLIMIT is refused before it is sent")
    func appendTooLarge() async throws {
        try await talk(
            .login("IMAP4rev1 APPENDLIMIT=20") + [.client("A4 NOOP"), .server("A4 OK done")]
        ) { client in
            let message = ByteBuffer(string: "Subject: twenty-one\r\n")
            await #expect(throws: IMAPClientError.invalidRequest(.tooLarge(actual: 21, maximum: 20))) {
                try await client.messages.append(to: bytes("Sent"), message: message)
            }
            try await client.noop()
        }
    }

    @Test(
        "with LITERAL+ the message follows at once, and an unexpected continuation does no harm"
    )
    func appendAtOnce() async throws {
        try await talk(
            .login("IMAP4rev1 LITERAL+") + [
                .client("A4 APPEND Sent {9+}"),
                .clientBytes("a: b\r\n\r\nc\r\n"),
                .server("+ OK"),
                .server("A4 OK done"),
            ]
        ) { client in
            let message = ByteBuffer(string: "a: b\r\n\r\nc")
            let place = try await client.messages.append(to: bytes("Sent"), message: message)
            #expect(place == nil)
        }
    }
}
