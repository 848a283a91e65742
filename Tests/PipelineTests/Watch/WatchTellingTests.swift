import Foundation
import Glibc
import Models
import TestSupport
import Testing

@testable import Pipeline

/// News of a watch for a program of the user: which are passed on, when, and with how much text.
@Suite("News for a program", .timeLimit(.minutes(2)))
struct WatchTellingTests {
    private let account = AccountID("work")

    private func news(_ lines: [String]) throws -> WatchNews {
        try #require(WatchNews.of(.account(account, .notices(lines))).first)
    }

    private func failure() throws -> WatchNews {
        try #require(WatchNews.of(.account(account, .kept(["no mailbox A"]))).first)
    }

    private func telling(
        _ settings: String, at now: Timestamp = Workplace.tuesday,
        _ body: (Workplace, WatchTelling) async throws -> Void
    ) async throws {
        let work = try Workplace()
        try work.configure("watch: { \(settings) }")
        try await work.with(at: now) { session in
            try await body(work, WatchTelling(session, path: "/usr/bin:/bin"))
        }
    }

    @Test("only chosen events are passed on, and without a program or a desktop none are")
    func chosen() async throws {
        let (notice, failure) = (try news(["a"]), try self.failure())
        try await telling("hook: [notify-me], events: [failed]") { _, telling in
            #expect(!telling.isWanted(notice) && telling.isWanted(failure))
        }
        try await telling("events: [failed]") { _, telling in #expect(!telling.isWanted(failure)) }
        try await telling("desktop: true") { _, telling in #expect(telling.isWanted(failure)) }
    }

    @Test("in the quiet hours of the user's time zone, nothing is passed on")
    func quiet() async throws {
        let failure = try self.failure()
        // 08:30 in Paris, 07:30 in UTC.
        for (hours, isWanted) in [
            ("08:00-09:00", false), ("07:00-08:00", true), ("22:00-08:31", false), ("22:00-08:30", true),
        ] {
            try await telling("hook: [notify-me], quiet: '\(hours)'") { _, telling in
                #expect(telling.isWanted(failure) == isWanted, "\(hours)")
            }
        }
    }

    @Test("text of mail is passed on only if the settings allow it, and in a limited amount")
    func text() async throws {
        let lines = (0..<60).map { "\($0) " + String(repeating: "x", count: 500) }
        try await telling("hook: [notify-me]") { _, telling in
            let news = try telling.allowed(news(lines))
            #expect(news.text.isEmpty && news.count == 60)
        }
        try await telling("hook: [notify-me], text: true") { _, telling in
            let text = try telling.allowed(news(lines)).text
            #expect(text.count == 40 && text.allSatisfy { $0.count == 200 })
        }
    }

    @Test("the program gets each document on its standard input, in order, in the folder of opus.yaml")
    func program() async throws {
        try await telling("hook: [sh, -c, 'cat >> told; echo >> told']") { work, telling in
            for number in 1...3 { telling.tell(try failure(), document: Array("{\(number)}".utf8)) }
            let told = try await eventually("all were told") {
                let text = (try? work.read("told")) ?? ""
                return text.contains("{3}\n") ? text : nil
            }
            #expect(told == "{1}\n{2}\n{3}\n")
        }
    }

    @Test("a program that leaves another one in the background has ended")
    func background() async throws {
        try await telling("hook: [sh, -c, 'cat >> told; sleep 60 & echo $! >> pids']") { work, telling in
            for number in 1...3 { telling.tell(try failure(), document: Array("{\(number)}".utf8)) }
            let pids = try await eventually("all were told") {
                let pids = ((try? work.read("pids")) ?? "").split(separator: "\n").compactMap { pid_t($0) }
                return pids.count == 3 ? pids : nil
            }
            // Nothing waited ten seconds for the first one, and ended it.
            for pid in pids { #expect(kill(pid, SIGTERM) == 0) }
            #expect(try work.read("told") == "{1}{2}{3}")
        }
    }

    @Test("after the end of the watch, no program is started, and a missing program has no effect")
    func ended() async throws {
        try await telling("hook: [no-such-program]") { _, telling in
            telling.tell(try failure(), document: [])
        }
        try await telling("hook: [sh, -c, 'echo x > told']") { work, telling in
            telling.end()
            telling.tell(try failure(), document: [])
            try await Task.sleep(for: .milliseconds(100))
            #expect((try? work.read("told")) == nil)
        }
    }
}
