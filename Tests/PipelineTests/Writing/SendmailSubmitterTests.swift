import Accounts
import Executor
import Foundation
import Models
import TestSupport
import Testing

@testable import Pipeline

/// Sending through a program of this machine: what it gets, and what its end means for the mail.
@Suite("Sendmail")
struct SendmailSubmitterTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What happened to one mail.
    private struct Result {
        var answer: String?
        var failure: SubmissionError?
        /// In their order: `dot`, `accepted`.
        var reports: [String] = []
    }

    private struct Stop: Error {}

    private func submit(
        _ script: String, _ message: String = "Subject: x\r\n\r\nHello\r\n", from sender: String = "ana@x",
        to recipients: [String] = ["bob@x"], patience: Duration = .seconds(60),
        stopsBeforeDot: Bool = false, losesAcceptance: Bool = false
    ) async throws -> Result {
        // A shell reads it: a file that was just written cannot always be executed while other threads start programs.
        try folder.write("cd '\(folder.path)'\n\(script)\n", to: "program")
        var submitter = SendmailSubmitter(
            command: Sendmail(
                command: ["/bin/sh", folder.path + "/program", "-q"],
                place: SourcePlace(file: "opus.yaml", line: 9)),
            scratch: folder.path)
        submitter.patience = patience
        let reports = Locked<[String]>([])
        var result = Result()
        do {
            result.answer = try await submitter.submit(
                Array(message.utf8), reversePath: sender, forwardPaths: recipients, token: MessageID("1@x")
            ) {
                reports.change { $0.append("dot") }
                if stopsBeforeDot { throw Stop() }
            } accepted: { _ in
                reports.change { $0.append("accepted") }
                if losesAcceptance { throw Stop() }
            }
        } catch { result.failure = error }
        result.reports = reports.value
        return result
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: folder.url(name), encoding: .utf8)
    }

    private var isStarted: Bool { FileManager.default.fileExists(atPath: folder.path + "/started") }

    @Test("the program gets its own arguments, then the sender and each recipient as separate arguments")
    func words() async throws {
        let result = try await submit(
            "printf '%s|' \"$@\" > words", from: "ana ruiz@x", to: ["bob@x", "-oops@x", "$(touch bad)@x"])
        #expect(result.failure == nil)
        #expect(try text("words") == "-q|-i|-f|ana ruiz@x|--|bob@x|-oops@x|$(touch bad)@x|")
    }

    @Test("a mail without a sender, such as a report, is sent with an empty sender")
    func nullSender() async throws {
        _ = try await submit("printf '%s|' \"$@\" > words", from: "")
        #expect(try text("words") == "-q|-i|-f|<>|--|bob@x|")
    }

    @Test("the mail has LF line ends, and a carriage return inside a line is kept")
    func lineEnds() async throws {
        _ = try await submit("cat > mail", "A: b\r\n\r\none\rtwo\r\n.\r\nlast\r")
        #expect(try text("mail") == "A: b\n\none\rtwo\n.\nlast\r")
    }

    @Test("a mail of several megabytes is passed complete, and no file remains")
    func large() async throws {
        let line = String(repeating: "x", count: 70) + "\r\n"
        let message = "A: b\r\n\r\n" + String(repeating: line, count: 50_000)
        let result = try await submit("sleep 0.1; wc -c > size", message)
        #expect(result.failure == nil)
        let expected = "A: b\n\n".utf8.count + 71 * 50_000
        #expect(Int(try text("size").filter(\.isNumber)) == expected)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!left.contains { $0.hasPrefix("stream-") })
    }

    @Test("a mail that the program accepted counts as accepted after the dot, once")
    func taken() async throws {
        let result = try await submit("exit 0")
        #expect(result.reports == ["dot", "accepted"])
        #expect(result.answer == "accepted by /bin/sh")
    }

    @Test("the program does not start if the journal cannot record the start")
    func journalFails() async throws {
        let result = try await submit("touch started", stopsBeforeDot: true)
        guard case .notSent = result.failure else {
            Issue.record("\(String(describing: result.failure))")
            return
        }
        #expect(!isStarted)
        #expect(result.reports == ["dot"])
    }

    @Test("if the journal cannot record the acceptance, the result is unknown")
    func acceptanceLost() async throws {
        let result = try await submit("touch started", losesAcceptance: true)
        guard case .unknown = result.failure else {
            Issue.record("\(String(describing: result.failure))")
            return
        }
        #expect(isStarted)
    }

    private enum Verdict: Equatable {
        case notSent, unreachable, rejected, unknown, other
    }

    private func verdict(_ failure: SubmissionError?) -> Verdict {
        switch failure {
        case .notSent: .notSent
        case .unreachable: .unreachable
        case .rejected: .rejected
        case .unknown: .unknown
        case .loginRefused, .recipientsRefused, nil: .other
        }
    }

    @Test(
        "a temporary failure is tried again, wrong settings stop the outbox, and other failures are final"
    )
    func codes() async throws {
        let table: [(Int, Verdict)] = [
            (75, .notSent), (69, .notSent), (76, .notSent), (77, .unreachable), (78, .unreachable),
            (127, .unreachable), (1, .rejected), (67, .rejected), (68, .rejected), (79, .rejected),
        ]
        for (code, expected) in table {
            let result = try await submit("exit \(code)")
            #expect(verdict(result.failure) == expected, "\(code)")
            #expect(result.reports == ["dot"], "\(code)")
        }
    }

    @Test("the program's error is shown on one line, cut to its beginning")
    func complaint() async throws {
        let result = try await submit(
            "printf 'no such\\n\\tuser\\033 ' >&2; head -c 100000 /dev/zero | tr '\\0' x >&2; exit 67")
        guard case .rejected(let reason) = result.failure else {
            Issue.record("\(String(describing: result.failure))")
            return
        }
        #expect(reason.hasPrefix("/bin/sh ended with code 67: no such user"))
        #expect(reason.count < 700)
    }

    @Test("after a program was killed or timed out, the mail may have been sent")
    func killed() async throws {
        #expect(verdict(try await submit("kill -TERM $$").failure) == .unknown)
        let slow = try await submit("touch started; exec sleep 60", patience: .milliseconds(300))
        #expect(verdict(slow.failure) == .unknown)
        #expect(isStarted)
    }

    @Test("signals reach the program, so its own timeouts work")
    func signals() async throws {
        let blocked = try await submit("grep SigBlk /proc/self/status > blocked")
        #expect(blocked.failure == nil)
        #expect(
            try text("blocked").split(whereSeparator: \.isWhitespace).last?.allSatisfy { $0 == "0" } == true)
    }

    @Test("a missing program stops the outbox and sends nothing")
    func missing() async throws {
        let submitter = SendmailSubmitter(
            command: Sendmail(
                command: [folder.path + "/none"], place: SourcePlace(file: "opus.yaml", line: 9)),
            scratch: folder.path)
        await #expect(throws: SubmissionError.self) {
            do {
                _ = try await submitter.submit(
                    [], reversePath: "a@x", forwardPaths: ["b@x"], token: MessageID("1@x"),
                    beforeFinalDot: {}, accepted: { _ in })
            } catch {
                #expect(verdict(error as? SubmissionError) == .unreachable)
                throw error
            }
        }
    }

    @Test("without a temporary folder the mail stays in the outbox, and no program starts")
    func noScratch() async throws {
        try folder.write("touch '\(folder.path)/started'\n", to: "program")
        let submitter = SendmailSubmitter(
            command: Sendmail(
                command: ["/bin/sh", folder.path + "/program"], place: SourcePlace(file: "opus.yaml", line: 9)
            ),
            scratch: folder.path + "/missing")
        do {
            _ = try await submitter.submit(
                [], reversePath: "a@x", forwardPaths: ["b@x"], token: MessageID("1@x"), beforeFinalDot: {},
                accepted: { _ in })
            Issue.record("it was sent")
        } catch {
            #expect(verdict(error) == .notSent)
        }
        #expect(!isStarted)
    }
}
