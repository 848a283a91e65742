import Crypto
import Foundation
import MailStore
import Models
import Testing

@testable import Executor

/// Saved attachments: whole, once, never over a file, through every kind of end, and taken back while unchanged.
@Suite struct DrainFileTests {
    private static let body = Array("Hello.\r\n".utf8)
    private static let digest = Hex.encode(SHA256.hash(body))

    /// A message of the tests has one part, and that is its file here.
    private func save(_ world: DrainWorld, _ message: String = "m1", folder: String = "Papers") -> Step {
        world.step("save \(message)", message, .saveFile(section: "1", folder: folder, name: "a.txt"))
    }

    private func outcome(_ key: String, _ world: DrainWorld) throws -> StepOutcome? {
        try world.store.runs.runs(limit: 100).flatMap { try world.store.runs.run($0.id)?.steps ?? [] }
            .last { $0.idempotencyKey == key }?.outcome
    }

    private func put(_ bytes: [UInt8], _ path: String, _ world: DrainWorld) throws {
        let full = world.files.root + "/" + path
        try FileManager.default.createDirectory(
            atPath: (full as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: full))
    }

    private func files(_ world: DrainWorld) -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        let paths = FileManager.default.enumerator(atPath: world.files.root)?.allObjects as? [String] ?? []
        for path in paths {
            guard let data = FileManager.default.contents(atPath: world.files.root + "/" + path) else {
                continue
            }
            found[path] = [UInt8](data)
        }
        return found
    }

    @Test func `a file is written before its message moves, and the journal has its path and digest`()
        async throws
    {
        let world = try await DrainWorld(["m1"])
        try world.queue(save(world), try world.move("m1"))
        try await world.drain()
        #expect(files(world) == ["Papers/a.txt": Self.body])
        #expect(try world.journal() == ["save m1: confirmed", "move m1: confirmed"])
        let outcome = try #require(try outcome("save m1", world))
        #expect(outcome.path == "Papers/a.txt" && outcome.digest == Self.digest && outcome.pathBefore == nil)
    }

    @Test func `an existing file with the same bytes is used, and one with other bytes is kept`() async throws
    {
        let world = try await DrainWorld(["m1", "m2"])
        try put(Array("mine".utf8), "Papers/a.txt", world)
        try world.queue(save(world), save(world, "m2"))
        try await world.drain()
        #expect(files(world) == ["Papers/a.txt": Array("mine".utf8), "Papers/a (2).txt": Self.body])
        #expect(try outcome("save m1", world)?.pathBefore == nil)
        #expect(try outcome("save m2", world)?.pathBefore == "Papers/a (2).txt")
        #expect(try world.evidence("save m2") == "Papers/a (2).txt was there already")
    }

    @Test func `after a crash right after the rename, the new file counts as written by opus`() async throws {
        let world = try await DrainWorld(["m1"])
        try put(Array("mine".utf8), "a.txt", world)
        try world.queue(save(world, folder: ""))
        let row = try #require(try world.store.journal.openSteps(of: work).first?.id)
        var before = StepOutcome()
        before.path = "a (2).txt"
        before.digest = Self.digest
        try world.store.journal.markIssued([row], at: Timestamp(seconds: 1), outcomes: [row: before])
        try put(Self.body, "a (2).txt", world)
        try world.reopen()
        try await world.drain()
        #expect(files(world) == ["a.txt": Array("mine".utf8), "a (2).txt": Self.body])
        #expect(try world.state("save m1") == .confirmed)
        #expect(try outcome("save m1", world)?.pathBefore == nil, "undo may remove it")
    }

    @Test func `after a crash while writing, no partial file remains`() async throws {
        let world = try await DrainWorld(["m1"])
        try put(Array("Hel".utf8), ".opus-save m1.part", world)
        try world.queue(save(world, folder: ""))
        try world.store.journal.markIssued(try world.store.journal.openSteps(of: work).compactMap(\.id))
        try await world.drain()
        #expect(files(world) == ["a.txt": Self.body])
    }

    @Test
    func
        `a file that cannot be written waits, and its message stays; with free space the next run continues`()
        async throws
    {
        let world = try await DrainWorld(["m1"])
        try put([], "Papers", world)
        try world.queue(save(world), try world.move("m1"))
        try await world.drain(at: 3_600)
        #expect(try world.journal() == ["save m1: ready", "move m1: ready"])
        #expect(
            try world.error("save m1")?.hasPrefix(world.files.root + "/Papers: this is a link or a file")
                == true)
        try FileManager.default.removeItem(atPath: world.files.root + "/Papers")
        try await world.drain(at: 3_601)
        #expect(try world.journal() == ["save m1: confirmed", "move m1: confirmed"])
    }

    @Test(
        arguments: [
            ("1", "../x", "a.txt", "'..' cannot be a folder name"),
            ("1", "", "../a", "'../a' cannot be a file name"),
            ("1", "a//b", "a.txt", "'' cannot be a folder name"),
            ("1", "", ".a", "'.a' cannot be a file name"),
            ("7", "", "a.txt", "the message has no part 7"),
        ])
    func `an invalid part, folder or file name is refused at once`(
        _ section: String, _ folder: String, _ name: String, _ reason: String
    ) async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.step("save", "m1", .saveFile(section: section, folder: folder, name: name)))
        try await world.drain()
        #expect(try world.state("save") == .rejected)
        #expect(try world.error("save")?.hasSuffix(reason) == true)
        #expect(files(world).isEmpty)
    }

    @Test func `another message at the UID is not saved, and a lost connection is tried again`()
        async throws
    {
        let world = try await DrainWorld(["m1", "m2"])
        await world.sink.change(inbox.name) { box in
            box.messages[1]?.bytes = mail("other")
        }
        await world.sink.fail(.open, .before(.lost("gone")))
        try world.queue(save(world), save(world, "m2"))
        #expect(try await world.drain().halt == .lost)
        try await world.drain()
        #expect(try world.journal() == ["save m1: rejected", "save m2: confirmed"])
        #expect(try world.error("save m1") == "the message is no longer in any mailbox")
    }

    // MARK: Taking back

    @Test func `undo removes the saved file without a connection`() async throws {
        let world = try await DrainWorld(["m1"])
        try put(Self.body, "Papers/a.txt", world)
        try world.queue(world.step("gone", "m1", .removeFile(path: "Papers/a.txt", digest: Self.digest)))
        _ = try world.offline().runOffline(because: "offline", .offline)
        #expect(files(world).isEmpty)
        #expect(try world.evidence("gone") == "removed Papers/a.txt")
    }

    @Test func `a file that was changed or became a link is kept`() async throws {
        let world = try await DrainWorld(["m1"])
        try put(Array("edited".utf8), "a.txt", world)
        try FileManager.default.createSymbolicLink(
            atPath: world.files.root + "/b.txt", withDestinationPath: "a.txt")
        try world.queue(
            world.step("changed", "m1", .removeFile(path: "a.txt", digest: Self.digest)),
            world.step(
                "link", "m1", .removeFile(path: "b.txt", digest: Hex.encode(SHA256.hash("edited".utf8)))))
        try await world.drain()
        #expect(files(world)["a.txt"] == Array("edited".utf8))
        #expect(try world.state("changed") == .rejected)
        #expect(FileManager.default.fileExists(atPath: world.files.root + "/b.txt"))
    }

    @Test(arguments: [true, false])
    func `after a crash during a removal, only an unchanged file is removed`(_ isOurs: Bool) async throws {
        let world = try await DrainWorld(["m1"])
        try put(isOurs ? Self.body : Array("edited".utf8), ".opus-gone.part", world)
        try world.queue(world.step("gone", "m1", .removeFile(path: "a.txt", digest: Self.digest)))
        try world.store.journal.markIssued(try world.store.journal.openSteps(of: work).compactMap(\.id))
        try await world.drain()
        #expect(files(world) == (isOurs ? [:] : ["a.txt": Array("edited".utf8)]))
        #expect(try world.state("gone") == (isOurs ? .confirmed : .rejected))
    }
}
