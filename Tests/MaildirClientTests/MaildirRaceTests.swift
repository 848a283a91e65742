import Foundation
import Models
import TestSupport
import Testing

@testable import MaildirClient

@Suite struct MaildirRaceTests {
    /// Another program changes flags all the time; every listing still has every message.
    @Test func `no message is missed while another program renames files`() async throws {
        let box = try Sandbox()
        // More than one system call reads at once, so that there is a between.
        let count = 3_000
        for index in 0..<count { try box.write("x", to: "cur/m\(index),S=1:2,") }
        let path = box.path
        let client = box.client
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await Self.toggleFlags(path: path, count: count) }
            for _ in 0..<12 {
                let found = try client.list(.inbox).count
                #expect(found == count)
                await Task.yield()
            }
            group.cancelAll()
        }
    }

    private static func toggleFlags(path: String, count: Int) async {
        var letters = Array(repeating: "", count: count)
        var generator = SeededGenerator(seed: 3)
        while !Task.isCancelled {
            let index = Int.random(in: 0..<count, using: &generator)
            let next = letters[index].isEmpty ? "F" : ""
            let base = "\(path)/cur/m\(index),S=1:2,"
            if rename(base + letters[index], base + next) == 0 { letters[index] = next }
            if index % 16 == 0 { try? await Task.sleep(for: .milliseconds(1)) }
        }
    }

    /// Two programs change different flags of the same messages; neither loses its change.
    @Test func `a rename that failed because of another program is repeated`() async throws {
        let box = try Sandbox()
        for index in 0..<200 { try box.write("x", to: "new/m\(index)") }
        let client = box.client
        let flags: [Flag] = [.seen, .flagged]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for flag in flags {
                group.addTask {
                    for index in 0..<200 {
                        _ = try client.setFlags(.inbox, unique: "m\(index)", add: [flag])
                    }
                }
            }
            try await group.waitForAll()
        }
        let found = try client.list(.inbox)
        #expect(found.count == 200)
        #expect(found.allSatisfy { $0.flags == [.seen, .flagged] })
    }
}
