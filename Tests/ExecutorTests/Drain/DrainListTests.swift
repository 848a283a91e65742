import Foundation
import MailStore
import Models
import TestSupport
import Testing

@testable import Executor

/// Lists of senders: one plain address is added or taken out, once, and lines of people stay.
@Suite struct DrainListTests {
    private static let entry = "eve@x.example"

    private func step(_ key: String, _ entry: String = entry, isListed: Bool = true, in world: DrainWorld)
        -> Step
    {
        world.step(key, "m1", .list(.denied, entry: entry, isListed: isListed))
    }

    private func text(_ world: DrainWorld) -> String? {
        try? String(contentsOfFile: world.root + "/lists/denied.txt", encoding: .utf8)
    }

    private func write(_ text: String, _ world: DrainWorld) throws {
        try FileManager.default.createDirectory(
            atPath: world.root + "/lists", withIntermediateDirectories: true)
        try text.write(toFile: world.root + "/lists/denied.txt", atomically: false, encoding: .utf8)
    }

    private func outcome(_ key: String, _ world: DrainWorld) throws -> StepOutcome? {
        try world.store.runs.runs(limit: 100).flatMap { try world.store.runs.run($0.id)?.steps ?? [] }
            .last { $0.idempotencyKey == key }?.outcome
    }

    @Test func `an address is added once, and the journal records whether opus added it`() async throws {
        let world = try await DrainWorld(["m1"])
        try write("# mine\nbob@acme.example", world)
        try world.queue(step("one", in: world), step("two", "EVE@x.example", in: world))
        try await world.drain()
        #expect(text(world) == "# mine\nbob@acme.example\neve@x.example\n")
        #expect(try world.journal() == ["one: confirmed", "two: confirmed"])
        #expect(try outcome("one", world)?.path == "lists/denied.txt")
        #expect(try outcome("two", world)?.path == nil)
    }

    @Test func `only the removed address leaves the list`() async throws {
        let world = try await DrainWorld(["m1"])
        try write("# eve@x.example\n Eve@x.example # since May\neve@y.example\n", world)
        try world.queue(step("out", isListed: false, in: world))
        try await world.drain()
        #expect(text(world) == "# eve@x.example\neve@y.example\n")
    }

    @Test(
        "a value that is not one plain address is refused",
        arguments: [
            "*@x.example", "@x.example", "x.example", "eve#@x.example", "eve @x.example",
            "a@x.example\nb@x.example",
        ])
    func strange(entry: String) async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(step("one", entry, in: world))
        try await world.drain()
        #expect(text(world) == nil)
        #expect(try world.journal() == ["one: rejected"])
    }

    @Test func `after a crash, an address in the list counts as added by opus`() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(step("one", in: world))
        let row = try #require(try world.store.journal.openSteps(of: work).first?.id)
        var outcome = StepOutcome()
        outcome.path = SenderList.denied.path
        try world.store.journal.markIssued([row], at: Timestamp(seconds: 2), outcomes: [row: outcome])
        try write("eve@x.example\n", world)
        try await world.drain()
        #expect(text(world) == "eve@x.example\n")
        #expect(try self.outcome("one", world)?.path == "lists/denied.txt")
    }

    @Test func `a list that is a link is not changed`() async throws {
        let world = try await DrainWorld(["m1"])
        try write("", world)
        try FileManager.default.removeItem(atPath: world.root + "/lists/denied.txt")
        try "secret".write(toFile: world.root + "/other", atomically: false, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: world.root + "/lists/denied.txt", withDestinationPath: world.root + "/other")
        try world.queue(step("one", in: world))
        try await world.drain()
        #expect(try String(contentsOfFile: world.root + "/other", encoding: .utf8) == "secret")
        #expect(try world.journal() == ["one: ready"])
    }
}
