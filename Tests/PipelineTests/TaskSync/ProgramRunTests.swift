import Foundation
import Glibc
import TestSupport
import Testing

@testable import Pipeline

/// Another program under limits: what it gets, what is read of it, and that it always ends.
@Suite("A run of another program", .timeLimit(.minutes(2)))
struct ProgramRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ shell: String, input: String = "", limit: Duration = .seconds(60)) -> ProgramRun {
        ProgramRun(
            words: ["sh", "-c", shell], folder: folder.path,
            environment: ["PATH": "/usr/bin:/bin", "WORD": "a b"],
            input: input, limit: limit)
    }

    private func words(_ result: ProgramRun.Result) -> String {
        switch result {
        case .ended(let status, let output): "\(status) \(output)"
        case .missing: "missing"
        case .timedOut: "timed out"
        }
    }

    @Test("the program gets its folder, its environment and its input, and both outputs are read")
    func passed() async {
        let result = await run("read line; echo \"$line\"; pwd; echo \"$WORD\" >&2; exit 3", input: "yes\n")
            .run()
        #expect(words(result) == "3 yes\n\(folder.path)\na b\n")
        #expect(words(await run("kill -KILL $$").run()) == "137 ")
        var missing = run("")
        missing.words = ["no-such-program"]
        #expect(words(await missing.run()) == "missing")
    }

    @Test("the program blocks and ignores no signals, whatever the thread that starts it does")
    func signals() async {
        let shown = words(await run("grep -E '^Sig(Blk|Ign)' /proc/self/status").run())
        let masks = shown.split(separator: "\n").compactMap { $0.split(separator: "\t").last }
            .map { UInt64($0, radix: 16) }
        // The C library keeps two real-time signals for itself.
        #expect(masks.map { $0.map { $0 & 0x7FFF_FFFF } } == [0, 0], "\(shown)")
    }

    @Test("a program that ignores SIGTERM is ended too late and after a cancellation, with what it started")
    func stubborn() async throws {
        let stubborn = "trap '' TERM; echo $$ > pid; sleep 60 & wait; sleep 60"
        #expect(words(await run(stubborn, limit: .seconds(1)).run()) == "timed out")
        try #expect(isGone())
        let task = Task { await run(stubborn).run() }
        while (try? String(contentsOf: folder.url("pid"), encoding: .utf8))?.isEmpty != false {
            try await Task.sleep(for: .milliseconds(20))
        }
        task.cancel()
        let start = ContinuousClock.now
        _ = await task.value
        #expect(ContinuousClock.now - start < .seconds(30))
        try #expect(isGone())
    }

    /// Whether the program is gone whose number is in the file; removes that.
    private func isGone() throws -> Bool {
        let text = try String(contentsOf: folder.url("pid"), encoding: .utf8)
        try FileManager.default.removeItem(at: folder.url("pid"))
        guard let process = pid_t(text.prefix { $0.isNumber }) else { return false }
        return kill(process, 0) != 0 && errno == ESRCH
    }

    @Test("a program that another one left in the background holds up nothing")
    func background() async {
        let start = ContinuousClock.now
        let result = await run("sleep 20 & echo done").run()
        #expect(words(result) == "0 done\n")
        #expect(ContinuousClock.now - start < .seconds(15))
    }
}
