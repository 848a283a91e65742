import IMAPProtocol
import NIOCore
import TestSupport
import Testing

@testable import IMAPClient

private func request(_ name: String, new: ClosedRange<UInt32>? = nil) -> ResyncRequest {
    ResyncRequest(
        mailbox: bytes(name),
        known: ResyncState(uidValidity: 77, modSeq: 50, knownUIDs: UIDSet(1...9)),
        new: new, items: FetchItems(flags: true, body: .first(100)))
}

private let opening: [Line] =
    .login("IMAP4rev1 ENABLE CONDSTORE QRESYNC") + [
        .client("A4 ENABLE QRESYNC"),
        .client(#"A5 LIST "" "*""#),
        .server("* ENABLED QRESYNC"),
        .server("A4 OK done"),
        .server(#"* LIST () "/" INBOX"#),
        .server("A5 OK done"),
        .client("A6 STATUS INBOX (MESSAGES UIDNEXT UIDVALIDITY HIGHESTMODSEQ)"),
        .server("A6 OK done"),
    ]

@Suite struct ResyncPassTests {
    @Test("all mailboxes are opened and read in one turn, and each response belongs to its mailbox")
    func oneTurn() async throws {
        try await talk(
            opening + [
                .client("A7 EXAMINE INBOX (QRESYNC (77 50 1:9))"),
                .client("A8 UID FETCH 10:12 (UID FLAGS BODY.PEEK[]<0.100>)"),
                .client("A9 EXAMINE Work (QRESYNC (77 50 1:9))"),
                .server("* 3 EXISTS"),
                .server("* OK [UIDVALIDITY 77] valid"),
                .server("* OK [HIGHESTMODSEQ 60] modseq"),
                .server("* VANISHED (EARLIER) 3"),
                .server("* 1 FETCH (UID 2 FLAGS (\\Seen) MODSEQ (55))"),
                .server("A7 OK done"),
                .server("* 3 FETCH (UID 10 FLAGS () BODY[]<0> \"mail\")"),
                .server("* 1 FETCH (UID 2 FLAGS ())"),
                .server("A8 OK done"),
                .server("* VANISHED 1:2"),
                .server("* OK [CLOSED] closed"),
                .server("* 1 EXISTS"),
                .server("* OK [UIDVALIDITY 77] valid"),
                .server("* 1 FETCH (UID 4 FLAGS (x) MODSEQ (56))"),
                .server("A9 OK done"),
            ]
        ) { client in
            _ = try await client.mailboxes.survey()
            nonisolated(unsafe) var came: [String] = []
            let boxes = try await client.changes.resynchronize([
                request("INBOX", new: 10...12), request("Work"),
            ]) {
                came.append("\($0) \($1.uid) \($1.body.map { String(buffer: $0) } ?? "-")")
            }
            #expect(came == ["0 10 mail"])
            #expect(boxes.map { $0?.exists } == [3, 1])
            #expect(boxes.map { $0?.changes?.vanished } == [[3...3], []])
            #expect(boxes.map { $0?.changes?.flags.map(\.uid) } == [[2], [4]])
            #expect(boxes.map { $0?.changes?.isComplete } == [true, true])
            #expect(await client.selected == bytes("Work"))
        }
    }

    @Test("data from a refused mailbox or another UIDVALIDITY is ignored")
    func refused() async throws {
        try await talk(
            opening + [
                .client("A7 EXAMINE Gone (QRESYNC (77 50 1:9))"),
                .client("A8 UID FETCH 10:12 (UID FLAGS BODY.PEEK[]<0.100>)"),
                .client("A9 EXAMINE Other (QRESYNC (77 50 1:9))"),
                .client("A10 UID FETCH 10:12 (UID FLAGS BODY.PEEK[]<0.100>)"),
                .server("A7 NO [NONEXISTENT] no such box"),
                .server("* 3 FETCH (UID 10 FLAGS () BODY[]<0> \"of whom?\")"),
                .server("A8 BAD no mailbox"),
                .server("* OK [UIDVALIDITY 78] another"),
                .server("A9 OK done"),
                .server("* 3 FETCH (UID 10 FLAGS () BODY[]<0> \"another life\")"),
                .server("A10 OK done"),
            ]
        ) { client in
            _ = try await client.mailboxes.survey()
            let boxes = try await client.changes.resynchronize([
                request("Gone", new: 10...12), request("Other", new: 10...12),
            ]) { _, message in
                Issue.record("a message came: \(message)")
            }
            #expect(boxes == [nil, nil])
        }
    }

    @Test("a response that cannot be parsed makes only its own mailbox incomplete")
    func incomplete() async throws {
        try await talk(
            opening + [
                .client("A7 EXAMINE INBOX (QRESYNC (77 50 1:9))"),
                .client("A8 UID FETCH 10:12 (UID FLAGS BODY.PEEK[]<0.100>)"),
                .client("A9 EXAMINE Work (QRESYNC (77 50 1:9))"),
                .server("* OK [UIDVALIDITY 77] valid"),
                .server("A7 OK done"),
                .server("* 3 FETCH (UID 10 FLAGS ("),
                .server("A8 OK done"),
                .server("* OK [UIDVALIDITY 77] valid"),
                .server("A9 OK done"),
            ]
        ) { client in
            _ = try await client.mailboxes.survey()
            let boxes = try await client.changes.resynchronize([
                request("INBOX", new: 10...12), request("Work"),
            ]) {
                _, _ in
            }
            #expect(boxes.map { $0?.changes?.isComplete } == [false, true])
        }
    }

    @Test("a tagged response out of order ends the session")
    func outOfOrder() async throws {
        try await talk(
            opening + [
                .client("A7 EXAMINE INBOX (QRESYNC (77 50 1:9))"),
                .client("A8 EXAMINE Work (QRESYNC (77 50 1:9))"),
                .server("A8 OK done"),
            ]
        ) { client in
            _ = try await client.mailboxes.survey()
            await #expect(throws: IMAPClientError.self) {
                try await client.changes.resynchronize([request("INBOX"), request("Work")]) { _, _ in }
            }
        }
    }
}
