import Foundation
import MaildirClient
import Models
import Synchronization
import TestSupport
import Testing

@testable import SyncEngine

/// What a sync notes of a Maildir, and what the next one need not read because of it.
@Suite("Maildir notes")
struct MaildirNoteTests {
    /// Later than everything that the tests do, so that the times of all folders count as settled.
    private static let later = Int(Date().timeIntervalSince1970) + 1_000

    private func extent(
        _ world: MaildirWorld, after change: () throws -> Void
    ) async throws -> OpenMailbox.Extent {
        try await world.pause()
        let before = try world.client.opened(.inbox, at: Self.later)
        try change()
        return try world.client.opened(.inbox, noted: before.times, at: Self.later).extent
    }

    @Test("an unchanged mailbox is not read, and after a delivery only `new` is read")
    func leastReading() async throws {
        let world = try MaildirWorld()
        try world.append("m1", flags: [.seen])
        #expect(try await extent(world) {} == .nothing)
        #expect(try await extent(world) { try world.deliver("m2") } == .new)
        #expect(try await extent(world) { try world.append("m3", flags: [.seen]) } == .everything)
        #expect(
            try await extent(world) {
                _ = try world.client.setFlags(.inbox, unique: "100.m1", addKeywords: [Keyword("reading")])
            } == .everything)
    }

    @Test("the time of a folder that changed just now is not stored")
    func young() throws {
        let world = try MaildirWorld()
        try world.append("m1")
        let now = Int(Date().timeIntervalSince1970)
        let young = try world.client.opened(.inbox, at: now).times
        #expect(young.cur == nil)
        #expect(try world.client.opened(.inbox, noted: young, at: now).extent == .everything)
    }

    @Test("a note is read back from its text, and a note of an earlier version is ignored")
    func text() throws {
        let world = try MaildirWorld()
        try world.append("m1")
        for now in [Self.later, 0] {
            let note = MaildirNote(try world.client.opened(.inbox, at: now), before: nil)
            #expect(MaildirNote(note.description) == note)
        }
        #expect(MaildirNote("0a6b6be1b9412e67b5242f740f9339a9921c658fc5164d695b044a78a4c50e89") == nil)
    }

    @Test("a sync after a delivery lists only the new files")
    func arrivals() async throws {
        for there in [10, 200] {
            let world = try MaildirWorld()
            for number in 1...there { try world.append("m\(number)", flags: [.seen]) }
            try await world.sync(at: Self.later)
            for number in 1...3 { try world.deliver("n\(number)") }
            let source = CountingSource(world.client, at: Self.later)
            try await world.pause()
            #expect(try await world.sync.sync(from: source).added == 3)
            #expect(source.listed == [3])
            // The second delivery: what came with the first is still in `new`.
            try world.deliver("n4")
            let second = CountingSource(world.client, at: Self.later)
            #expect(try await world.sync.sync(from: second).added == 1)
            #expect(second.listed == [1])
            let third = CountingSource(world.client, at: Self.later)
            #expect(try await world.sync.sync(from: third).added == 0)
            #expect(third.listed == [])
            #expect(try world.sync.list().count == there + 4)
        }
    }

    @Test("a message that left `new` while another arrived is noticed")
    func leftNew() async throws {
        let world = try MaildirWorld()
        try world.append("m1", flags: [.seen])
        try world.deliver("n1")
        try world.deliver("n2")
        try await world.sync(at: Self.later)
        try world.remove("new/100.n1")
        try world.deliver("n3")
        let report = try await world.sync(at: Self.later)
        #expect((report.added, report.removed) == (1, 1))
        #expect(Self.marks(try world.sync.list()) == ["m1 seen", "n2", "n3"])
    }

    @Test("after a day everything is compared, despite the note")
    func daily() async throws {
        let world = try MaildirWorld()
        try world.append("m1", flags: [.seen])
        try await world.sync(at: Self.later)
        let source = CountingSource(world.client, at: Self.later)
        try await world.sync.sync(from: source, at: 5_000 + 24 * 3_600)
        #expect(source.listed == [1])
    }

    /// Deliveries, marks, moves and removals in any order: each sync leaves what a fresh store reads from the same Maildir.
    @Test("syncs with notes give the same result as a complete reading", arguments: 1...6)
    func agreement(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let world = try MaildirWorld()
        var number = 0
        for _ in 0..<12 {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                number += 1
                try world.change("m\(number)", using: &random)
            }
            try await world.sync(at: Self.later)
            let fresh = try SyncWorld()
            try await fresh.sync(from: MaildirMailSource(client: world.client))
            for mailbox in [MailboxName.inbox, archive] {
                #expect(Self.marks(try world.sync.list(mailbox)) == Self.marks(try fresh.list(mailbox)))
            }
        }
    }

    /// Without UIDs: those depend on the order.
    private static func marks(_ list: [String]) -> [String] {
        list.map { line in
            let words = line.split(separator: " ")
            return ([words[0].prefix { $0 != "@" }] + words.dropFirst()).joined(separator: " ")
        }.sorted()
    }
}

/// A Maildir that counts the messages of each listing.
private final class CountingSource: MailSource {
    private let source: MaildirMailSource
    private let counts = Mutex<[Int]>([])

    var listed: [Int] { counts.withLock(\.self) }

    init(_ client: Maildir, at now: Int) { source = MaildirMailSource(client: client, clock: { now }) }

    func mailboxes() async throws -> [Mailbox] { try await source.mailboxes() }

    func open(_ mailbox: Mailbox, since known: KnownMailbox?) async throws -> SourceMailbox {
        try await source.open(mailbox, since: known)
    }

    func open(_ mailbox: Mailbox, since known: KnownMailbox?, noted: String?) async throws -> SourceMailbox {
        try await source.open(mailbox, since: known, noted: noted)
    }

    func arrivals(
        of mailbox: Mailbox, known: ([String]) throws -> Set<String>
    ) async throws -> MessageListing? {
        counted(try await source.arrivals(of: mailbox, known: known))
    }

    func listing(
        of mailbox: Mailbox, uids: ClosedRange<UInt32>, detail: ListingDetail
    ) async throws -> MessageListing {
        counted(try await source.listing(of: mailbox, uids: uids, detail: detail))
    }

    func fetch(
        _ messages: [ListedMessage], of mailbox: Mailbox, limit: Int,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws {
        try await source.fetch(messages, of: mailbox, limit: limit, deliver: deliver)
    }

    private func counted(_ listing: MessageListing) -> MessageListing {
        if !listing.messages.isEmpty { counts.withLock { $0.append(listing.messages.count) } }
        return listing
    }

    private func counted(_ listing: MessageListing?) -> MessageListing? { listing.map { counted($0) } }
}

extension MaildirWorld {
    @discardableResult
    fileprivate func sync(at now: Int) async throws -> SyncReport {
        try await pause()
        return try await sync.sync(from: MaildirMailSource(client: client, clock: { now }))
    }

    /// Until the clock of file systems has ticked: the test does in moments what takes minutes elsewhere.
    fileprivate func pause() async throws { try await Task.sleep(for: .milliseconds(20)) }

    /// As a delivery agent does it.
    fileprivate func deliver(_ subject: String) throws {
        try Data(mail(subject, id: subject)).write(to: URL(filePath: path + "/new/100.\(subject)"))
    }

    fileprivate func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path + "/" + name)
    }

    /// One change by another program.
    fileprivate func change(_ subject: String, using random: inout SeededGenerator) throws {
        let there = try client.list(.inbox).map(\.unique)
        let chosen = there.randomElement(using: &random)
        switch (Int.random(in: 0..<6, using: &random), chosen) {
        case (1, let name?): _ = try client.setFlags(.inbox, unique: name, add: [.seen])
        case (2, let name?): _ = try client.move(unique: name, from: .inbox, to: archive)
        case (3, let name?):
            let entry = try client.list(.inbox).first { $0.unique == name }
            if let entry { try FileManager.default.removeItem(atPath: entry.path) }
        case (4, _): try append(subject, flags: [.seen])
        case (5, let name?): _ = try client.setFlags(.inbox, unique: name, add: [.flagged], remove: [.seen])
        default: try deliver(subject)
        }
    }
}
