import Foundation
import Models
import SyncEngine
import SyncPlanner
import TestSupport
import Testing

@testable import Pipeline

/// What is kept of a large message that did not come whole, and when it is of use.
@Suite("Downloads in pieces")
struct OriginalDownloadTests {
    private static let pieceSize = OriginalDownload.pieceSize
    private let folder: TemporaryFolder
    private let path: String
    private let message: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/m.part"
        var random = SeededGenerator(seed: 20)
        message = (0..<(4 * Self.pieceSize + 100)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private func place(validity: UInt32 = 7) -> MessagePlace {
        let inbox = Mailbox(
            account: AccountID("work"), name: .inbox, displayName: "INBOX", delimiter: "/", role: .inbox)
        return MessagePlace(
            message: EmailID(rawValue: "m"),
            key: MessageKey(account: AccountID("work"), mailbox: .inbox, uidValidity: validity, uid: 5),
            mailbox: inbox)
    }

    private func read(_ source: PieceSource, validity: UInt32 = 7, atPath: String? = nil) async throws
        -> [UInt8]?
    {
        try await OriginalDownload(path: atPath ?? path).read(
            place(validity: validity), from: source, atMost: 1 << 30)
    }

    @Test("another process downloads only the missing pieces")
    func later() async throws {
        let broken = PieceSource(message, breaksAfter: 3)
        await #expect(throws: PieceSource.Cut.self) { try await read(broken) }
        let source = PieceSource(message)
        #expect(try await read(source) == message)
        #expect(source.asked.value == [3, 4].map { $0 * Self.pieceSize })
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(
        "the same download continues after a lost connection, also without a file", arguments: [true, false])
    func again(hasFile: Bool) async throws {
        let download = OriginalDownload(path: hasFile ? path : nil)
        await #expect(throws: PieceSource.Cut.self) {
            try await download.read(place(), from: PieceSource(message, breaksAfter: 2), atMost: 1 << 30)
        }
        let source = PieceSource(message)
        #expect(try await download.read(place(), from: source, atMost: 1 << 30) == message)
        #expect(source.asked.value == [2, 3, 4].map { $0 * Self.pieceSize })
    }

    @Test(
        "the intact part of a damaged or truncated file is used",
        arguments: [("damaged", 1), ("cut off", 2), ("longer", 3)])
    func damage(_ kind: String, firstMissing: Int) async throws {
        await #expect(throws: PieceSource.Cut.self) { try await read(PieceSource(message, breaksAfter: 3)) }
        var bytes = try Data(contentsOf: URL(filePath: path))
        switch kind {
        case "damaged": bytes[bytes.count / 2] ^= 1
        case "cut off": bytes.removeLast(9)
        default: bytes.append(contentsOf: [1, 2, 3])
        }
        try bytes.write(to: URL(filePath: path))
        // What is read now follows the whole pieces: the next process can use it.
        await #expect(throws: PieceSource.Cut.self) { try await read(PieceSource(message, breaksAfter: 1)) }
        let source = PieceSource(message)
        #expect(try await read(source) == message)
        #expect(source.asked.value.first == (firstMissing + 1) * Self.pieceSize)
    }

    @Test("pieces of another mailbox, size or UIDVALIDITY are not used")
    func others() async throws {
        await #expect(throws: PieceSource.Cut.self) { try await read(PieceSource(message, breaksAfter: 3)) }
        let renumbered = PieceSource(message)
        #expect(try await read(renumbered, validity: 8) == message)
        #expect(renumbered.asked.value.first == 0)
        await #expect(throws: PieceSource.Cut.self) { try await read(PieceSource(message, breaksAfter: 3)) }
        let longer = PieceSource(message + [1])
        #expect(try await read(longer) == message + [1])
        #expect(longer.asked.value.first == 0)
    }

    @Test("a message whose size differs from the reported size is not accepted")
    func lies() async throws {
        let source = PieceSource(message)
        source.size.change { $0 += 5 }
        #expect(try await read(source) == nil)
        source.answers.change { $0 = false }
        #expect(try await read(source) == nil, "it does not read in pieces")
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}

/// One message, of which pieces can be read until the connection breaks.
private final class PieceSource: MailSource {
    struct Cut: Error {}

    private let message: [UInt8]
    private let breaksAfter: Int
    let size: Locked<Int>
    let asked = Locked<[Int]>([])
    let answers = Locked(true)

    init(_ message: [UInt8], breaksAfter: Int = .max) {
        self.message = message
        self.breaksAfter = breaksAfter
        size = Locked(message.count)
    }

    func size(of message: ListedMessage) -> Int? { size.value }

    func piece(of listed: ListedMessage, from offset: Int, count: Int) throws -> [UInt8]? {
        guard answers.value else { return nil }
        guard asked.value.count < breaksAfter else { throw Cut() }
        asked.change { $0.append(offset) }
        return Array(message.dropFirst(offset).prefix(count))
    }

    func mailboxes() -> [Mailbox] { [] }
    func open(_ mailbox: Mailbox, since known: KnownMailbox?) -> SourceMailbox {
        SourceMailbox(uidValidity: 7, exists: 1)
    }
    func listing(
        of mailbox: Mailbox, uids: ClosedRange<UInt32>, detail: ListingDetail
    ) -> MessageListing { MessageListing([], isComplete: true) }
    func fetch(
        _ messages: [ListedMessage], of mailbox: Mailbox, limit: Int,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) {}
}
