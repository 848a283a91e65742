import CLibical
import Models
import TestSupport
import Testing

@testable import TodoCalendar

/// Lines that are read without libical's parser: it must not make a difference.
@Suite struct LiteralValueTests {
    static let names = [
        "UID", "SUMMARY", "DESCRIPTION", "CONTACT", "URL", "STATUS", "PERCENT-COMPLETE", "PRIORITY", "DUE",
        "DTSTART", "COMPLETED", "CREATED", "CATEGORIES", "RELATED-TO", "ATTACH", "X-OPUS-MESSAGE-ID",
        "X-OPUS-ACCOUNT", "X-OPUS-RULE", "X-OPUS-CONTEXT", "X-OPUS-TZ", "X-OPUS-WAITING-ON",
        "X-OPUS-DELEGATED-MID",
    ]

    static let pieces = [
        "a", "Call Ann", "ü", "🙂", " ", "  ", "\t", ",", ";", ":", "\\", "\\n", "\\t", "\\:", "\\,", "\\;",
        "\\\\", "\"",
        "'", "7", "0",
        "12", "-", "+", "/", "<", ">", "@", "%", "=", "^", "\u{7F}", "\u{1}", "\u{A0}", "\u{2028}", "mid:",
        "a@example.org", "20260331", "20260331T150000", "20260331T150000Z", "00000000", "20261332",
        "20260331T250000Z", "T", "Z", "NEEDS-ACTION", "completed", "IN-PROCESS", "CANCELLED", "\r\n ", "\n\t",
    ]

    private static func bytes(_ random: inout SeededGenerator, _ name: String) -> [UInt8] {
        let parameters = ["", "", "", "", ";VALUE=DATE", ";VALUE=DATE-TIME", ";X=y", ";VALUE=TEXT"]
        let value = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            pieces.randomElement(using: &random) ?? ""
        }
        var bytes = Array((name + (parameters.randomElement(using: &random) ?? "")).utf8)
        bytes += (":" + value.joined() + "\r\n").utf8
        // Bytes that are not UTF-8.
        if Int.random(in: 0..<20, using: &random) == 0 { bytes.insert(0xE9, at: bytes.count - 2) }
        return bytes
    }

    /// What a task says of which only this line is known.
    private static func todo(_ receive: (inout TodoBuilder) -> Void) -> Todo? {
        var builder = TodoBuilder(list: .next)
        receive(&builder)
        _ = LiteralValue(line("UID:other\r\n"), in: Array("UID:other\r\n".utf8)).map {
            builder.receive($0, of: "UID")
        }
        return builder.finish()
    }

    /// The same line both ways; nil when it goes to libical anyway.
    private static func readings(_ line: ContentLine, _ bytes: [UInt8]) -> (Todo?, Todo?)? {
        var isTaken = false
        let taken = todo { builder in
            isTaken = LiteralValue(line, in: bytes).map { builder.receive($0, of: line.name) } ?? false
        }
        guard isTaken else { return nil }
        guard let component = Libical.parse(VTodoReader.component("VTODO", [line], bytes)) else {
            return (taken, nil)
        }
        defer { icalcomponent_free(component) }
        let parsed = todo { builder in
            for property in Libical.properties(of: component) { builder.receive(property, of: line.name) }
        }
        return (taken, parsed)
    }

    private static func line(_ text: String) -> ContentLine {
        let bytes = Array(text.utf8)
        return ContentLine(
            range: 0..<bytes.count, number: 1, name: String(text.prefix { $0 != ":" }), isFolded: false)
    }

    @Test("a line read without libical gives the same value")
    func same() throws {
        var random = SeededGenerator(seed: 7)
        var literal = 0
        for round in 0..<(10 * CalendarFuzzTests.rounds) {
            let name = Self.names[round % Self.names.count]
            let bytes = Self.bytes(&random, name)
            guard let lines = try? ContentLine.split(bytes), lines.count == 1 else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            // Compared here: an expectation on libical's thread would belong to no test.
            guard let (taken, parsed) = CalendarThread.run({ Self.readings(lines[0], bytes) }) else {
                continue
            }
            literal += 1
            #expect(taken == parsed, "\(text.debugDescription)")
        }
        #expect(literal > CalendarFuzzTests.rounds)
    }

    @Test(
        "a line that needs interpretation is left to libical",
        arguments: [
            "SUMMARY;LANGUAGE=de:Anruf", "DUE;TZID=Europe/Paris:20260331T170000", "CATEGORIES:a,,b",
            "SUMMARY:",
            "X-OPUS-RULE:a,b", "PRIORITY:+1", "DUE:tomorrow", "RELATED-TO:u2", "URL:a\\,b",
        ])
    func refused(text: String) throws {
        let bytes = Array((text + "\r\n").utf8)
        let line = try #require(try ContentLine.split(bytes).first)
        var builder = TodoBuilder(list: .next)
        #expect(LiteralValue(line, in: bytes).map { builder.receive($0, of: line.name) } != true)
    }
}
