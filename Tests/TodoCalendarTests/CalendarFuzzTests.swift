import CLibical
import Foundation
import Models
import TestSupport
import Testing

@testable import TodoCalendar

/// SeededGenerator damage and random edits, from a fixed seed. `OPUS_FUZZ_ROUNDS` asks for more of it.
@Suite struct CalendarFuzzTests {
    static let rounds = ProcessInfo.processInfo.environment["OPUS_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 2_000

    static let pieces: [String] = [
        "\r\n", "\n", "\r", "\r\n ", "BEGIN:VTODO\r\n", "END:VTODO\r\n", "BEGIN:X\r\n", "SUMMARY:", "\"", ";",
        ":",
        "\\", "\\n", "DUE;TZID=X:20260101T000000\r\n", "STATUS:COMPLETED\r\n", "RRULE:FREQ=SECONDLY\r\n",
        "\u{0}",
        "\u{FEFF}", "COMPLETED:20260101T000000Z\r\n", "UID:u2\r\n", "PERCENT-COMPLETE:100\r\n", "ü",
    ]

    static func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.insert(contentsOf: pieces.randomElement(using: &random)?.utf8 ?? "".utf8, at: place)
            case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2:
                bytes.removeSubrange(place..<min(place + Int.random(in: 0...40, using: &random), bytes.count))
            case _: bytes.append(contentsOf: bytes[max(0, place - 30)..<place])
            }
        }
        return bytes
    }

    static func patch(_ random: inout SeededGenerator) -> TodoPatch {
        let day = CalendarDate(daysSinceEpoch: Int64.random(in: 0...40_000, using: &random))
        let instant = Timestamp(seconds: Int64.random(in: 0...4_000_000_000, using: &random))
        let dates: [TodoDate?] = [
            nil, nil, .date(day), .instant(instant),
            .local(LocalDateTime(date: day, secondOfDay: 60), zone: nil),
            .local(LocalDateTime(date: day, secondOfDay: 60), zone: "Europe/Paris"),
        ]
        return TodoPatch(
            status: [nil, .needsAction, .inProcess, .completed, .cancelled].randomElement(using: &random)
                ?? nil,
            start: dates.randomElement(using: &random) ?? nil,
            due: dates.randomElement(using: &random) ?? nil,
            summary: [nil, "x", "a,b;\\\n", String(repeating: "日", count: 60)].randomElement(using: &random)
                ?? nil)
    }

    @Test("damage never crashes the reader, and a patch changes no other line")
    func damage() throws {
        var random = SeededGenerator(seed: 42)
        var patches = 0
        let names: Set<String> = [
            "SUMMARY", "STATUS", "COMPLETED", "PERCENT-COMPLETE", "DUE", "DTSTART", "DURATION", "DTSTAMP",
            "LAST-MODIFIED", "SEQUENCE", "X-OPUS-TZ",
        ]
        let sources = try [
            Samples.odd, VTodoWriter.new(VTodoWriterTests.full(), now: Samples.now), Samples.task(),
        ]
        for round in 0..<Self.rounds {
            let bytes = Self.damaged(sources[round % sources.count], &random)
            let patch = Self.patch(&random)
            guard let patched = try? VTodoPatcher.apply(patch, to: bytes, now: Samples.now) else { continue }
            patches += 1
            #expect(try others(bytes, names) == others(patched, names), "round \(round)")
            let again = try? VTodoPatcher.apply(patch, to: patched, now: Samples.now + 99)
            #expect(
                again == patched,
                "a second run changes nothing: round \(round), \(patch), \(Samples.text(bytes))")
        }
        #expect(patches > Self.rounds / 20)
    }

    /// What we hand to libical line by line must mean what it means to libical in the whole file.
    @Test("a damaged file that libical can read gives the same task in opus")
    func differential() throws {
        var random = SeededGenerator(seed: 4_711)
        var compared = 0
        let sources = GoldenFileTests.files.map(\.bytes).filter { $0.count < 4_096 }
        for round in 0..<Self.rounds {
            let bytes = Self.damaged(sources[round % sources.count], &random)
            guard let read = try? VTodoReader.read(bytes, list: .next), !read.isInstance, !read.hasInstances,
                !bytes.starts(with: [0xEF, 0xBB, 0xBF]), let whole = Self.whole(bytes)
            else { continue }
            compared += 1
            // A CR alone is no part of a value for us; libical leaves it where it stands.
            let uid = whole.uid.replacing("\r", with: "")
            #expect(uid == read.todo.id.rawValue, "round \(round): \(Samples.text(bytes))")
            #expect(
                whole.priority == read.todo.priority || !(0...9).contains(whole.priority), "round \(round)")
        }
        #expect(compared > Self.rounds / 20)
    }

    /// UID and priority of the only VTODO, by libical alone; nil when it found a fault anywhere.
    private static func whole(_ bytes: [UInt8]) -> (uid: String, priority: Int)? {
        CalendarThread.run {
            guard let calendar = Libical.parse(bytes) else { return nil }
            defer { icalcomponent_free(calendar) }
            guard icalcomponent_count_errors(calendar) == 0,
                let todo = icalcomponent_get_first_component(calendar, ICAL_VTODO_COMPONENT),
                let uid = icalcomponent_get_first_property(todo, ICAL_UID_PROPERTY)
            else { return nil }
            let priority = icalcomponent_get_first_property(todo, ICAL_PRIORITY_PROPERTY)
            return (
                String(cString: icalproperty_get_uid(uid)),
                priority.map { Int(icalproperty_get_priority($0)) } ?? 0
            )
        }
    }

    /// The raw lines of other names, and all lines of other components.
    private func others(_ bytes: [UInt8], _ names: Set<String>) throws -> [[UInt8]] {
        let outline = try CalendarOutline(bytes)
        let master = try outline.task().master
        return outline.lines.indices.filter {
            outline.owners[$0] != master || !names.contains(outline.lines[$0].name)
        }.map { Array(bytes[outline.lines[$0].range]) }
    }
}
