import DialectServer
import Foundation
import MailStore
import TaskStore
import Testing

/// We, two other clients and the server itself, in any order: after quiet we hold what is true.
///
/// `OPUS_RANDOM_SEQUENCES` says how many lives are played, `OPUS_RANDOM_SEED` where the seeds begin. A failing one is
/// made as short as it can be and printed with its seed. With `OPUS_RANDOM_TRACE=1`, the shortened one is then
/// played once more, and each command and what both sides hold after each event are printed.
@Suite struct RandomSyncTests {
    @Test("after a pause, the store has the same messages as the server")
    func converges() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["OPUS_RANDOM_SEQUENCES"].flatMap(Int.init) ?? 100
        let start = environment["OPUS_RANDOM_SEED"].flatMap(UInt64.init) ?? 1
        let folder = DialectWorld.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await DialectServer.start(.plain)
        var failures = 0
        for batch in stride(from: 0, to: count, by: 500) {
            // A fresh store now and then, so that the last lives are not slower than the first.
            let store = try Store.open(path: folder + "/store-\(batch).sqlite")
            let machine = RandomSyncMachine(
                server: server, store: store, tasks: TaskFiles(root: folder + "/tasks"))
            for index in batch..<min(batch + 500, count) where failures < 5 {
                let sequence = RandomSequence(seed: start + UInt64(index))
                guard let trouble = try await machine.play(sequence) else { continue }
                failures += 1
                let shortest = try await machine.shrink(sequence)
                let words = try await machine.play(shortest) ?? trouble
                Issue.record("\(words)\n\(shortest)")
                if environment["OPUS_RANDOM_TRACE"] == "1" {
                    _ = try await machine.play(shortest, isTraced: true)
                }
            }
            store.close()
        }
        await server.stop()
    }
}
