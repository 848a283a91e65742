import IMAPProtocol
import Synchronization
import TestSupport
import Testing
import Transport

@testable import IMAPClient

/// Moves to several mailboxes at once: what is on the wire, whose proof is whose, and what is known when it ends early.
@Suite struct MovesTests {
    private let moves: [(uids: UIDSet, to: [UInt8])] = [
        ([5, 6], bytes("Archive")), ([7], bytes("Later")), ([8], bytes("Work")),
    ]
    private let asked: [Line] = [
        .client("A5 UID MOVE 5:6 Archive"), .client("A6 UID MOVE 7 Later"), .client("A7 UID MOVE 8 Work"),
    ]

    /// What is ends of the moves, in that order.
    private func ends(_ transcript: [Line], _ moves: [(uids: UIDSet, to: [UInt8])]? = nil) async throws
        -> [MoveEnd]
    {
        let ends = Mutex<[MoveEnd]>([])
        let moves = moves ?? self.moves
        try await talkInMailbox(.selected("IMAP4rev1 MOVE") + transcript) { client in
            try await client.messages.move(moves) { end in ends.withLock { $0.append(end) } }
        }
        return ends.withLock(\.self)
    }

    @Test("all moves are sent before the first reply, and each proof is matched to its move")
    func pipelined() async throws {
        let ends = try await ends(
            asked + [
                .server("* OK [COPYUID 9 5:6 31,30] moved"), .server("* 1 EXPUNGE"), .server("* 1 EXPUNGE"),
                .server("A5 OK done"), .server("* VANISHED 7"), .server("A6 OK [COPYUID 8 7 2] done"),
                .server("A7 OK done"),
            ])
        #expect(ends.map(\.move) == [0, 1, 2])
        #expect(
            ends.map(\.result) == [
                .success(CopyUID(uidValidity: 9, sources: [5, 6], destinations: [31, 30])),
                .success(CopyUID(uidValidity: 8, sources: [7], destinations: [2])), .success(nil),
            ])
    }

    @Test("a proof before the end of another command is matched by its UIDs")
    func outOfOrder() async throws {
        let ends = try await ends(
            asked + [
                .server("* OK [COPYUID 8 7 2] moved"), .server("* OK [COPYUID 9 5:6 1:2] moved"),
                .server("A6 OK done"), .server("A5 OK done"), .server("A7 OK done"),
            ])
        #expect(ends.map(\.move) == [1, 0, 2])
        #expect(try ends[0].result.get()?.sources == [7])
        #expect(try ends[1].result.get()?.sources == [5, 6])
    }

    @Test("a refusal fails only its own move")
    func refused() async throws {
        let ends = try await ends(
            asked + [
                .server("A5 OK [COPYUID 9 5:6 1:2] done"), .server("A6 NO [OVERQUOTA] full"),
                .server("A7 OK [COPYUID 4 8 1] done"),
            ])
        #expect(
            ends[1].result
                == .failure(.refused(command: "UID MOVE", status: .no, code: .overQuota, text: "full")))
        #expect(try ends[2].result.get()?.destinations == [1])
    }

    @Test(
        "after a lost connection, sent moves fail and unsent ones have no result")
    func lost() async throws {
        let sixth = (1...6).map { (uids: UIDSet([$0]), to: bytes("B\($0)")) }
        // An unknown server takes four commands at once.
        let ends = try await ends(
            (1...4).map { .client("A\($0 + 4) UID MOVE \($0) B\($0)") } + [
                .server("A5 OK [COPYUID 9 1 1] done"), .client("A9 UID MOVE 5 B5"), .hangUp,
            ], sixth)
        #expect(ends.map(\.move) == [0, 1, 2, 3, 4])
        #expect(throws: Never.self) { try ends[0].result.get() }
        for end in ends.dropFirst() { #expect(throws: IMAPClientError.self) { try end.result.get() } }
    }

    @Test("a long move is split into commands, and has one result")
    func pieces() async throws {
        let uids = UIDSet((1...1_500).map { UInt32($0 * 2 + 100_000) })
        let parts = uids.split(maximumBytes: 6_000)
        let ends = try await ends(
            [
                .client("A5 UID MOVE \(parts[0]) Archive"), .client("A6 UID MOVE \(parts[1]) Archive"),
                .client("A7 UID MOVE 7 Later"),
                .server("A5 OK [COPYUID 9 100002 1] done"), .server("A6 NO full"),
                .server("A7 OK [COPYUID 8 7 2] done"),
            ], [(uids, bytes("Archive")), ([7], bytes("Later"))])
        #expect(ends.map(\.move) == [0, 1])
        #expect(
            ends[0].result
                == .failure(
                    .partlyDone(
                        CopyUID(uidValidity: 9, sources: [100_002], destinations: [1]),
                        cause: .refused(command: "UID MOVE", status: .no, code: nil, text: "full"))))
    }

    @Test("a mailbox name that needs a continuation is sent alone")
    func literal() async throws {
        let ends = try await ends(
            [
                .client("A5 UID MOVE 5 Archive"), .server("A5 OK done"),
                .client("A8 UID MOVE 6 {3}"), .server("+ go on"), .clientBytes("B\u{1}C\r\n"),
                .server("A8 OK [COPYUID 9 6 1] done"),
                .client("A9 UID MOVE 7 Later"), .server("A9 OK done"),
            ], [([5], bytes("Archive")), ([6], bytes("B\u{1}C")), ([7], bytes("Later"))])
        #expect(ends.map(\.move) == [0, 1, 2])
        #expect(try ends[1].result.get()?.destinations == [1])
    }

    @Test("a tagged response without a running command fails every sent move")
    func nonsense() async throws {
        let ends = try await ends(asked + [.server("A99 OK done")])
        #expect(ends.count == 3)
        for end in ends { #expect(throws: IMAPClientError.self) { try end.result.get() } }
    }

    @Test("without MOVE nothing is sent")
    func missing() async throws {
        try await talkInMailbox(.selected()) { client in
            await #expect(throws: IMAPClientError.missingCapability(.move)) {
                try await client.messages.move(moves) { _ in Issue.record("ends of a move") }
            }
        }
    }

    @Test("the numbers of several mailboxes are requested at once; a missing mailbox has none")
    func numbers() async throws {
        try await talk(
            .login() + [
                .client("A4 STATUS A (MESSAGES UIDNEXT UIDVALIDITY UNSEEN)"),
                .client("A5 STATUS B (MESSAGES UIDNEXT UIDVALIDITY UNSEEN)"),
                .server("* STATUS A (MESSAGES 1 UIDNEXT 4 UIDVALIDITY 7)"), .server("A4 OK done"),
                .server("A5 NO [NONEXISTENT] which?"),
            ]
        ) { client in
            let found = try await client.mailboxes.statuses([bytes("A"), bytes("B")])
            #expect(found.mapValues(\.uidNext) == [bytes("A"): 4])
        }
    }
}
