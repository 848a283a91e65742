// A calendar file read a second time, as simply as RFC 5545 allows, to compare the patcher's work with.

public import Models

/// One content line: its raw bytes with folds and ending, and its name in upper case.
public struct RawLine: Equatable {
    public var bytes: ArraySlice<UInt8>
    public var name: String
    /// Stands directly in a VTODO of the calendar.
    public var isOwn = false
}

/// Physical lines, each with those that go on from it.
public func rawLines(_ bytes: [UInt8]) -> [RawLine] {
    var lines: [RawLine] = []
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var open: [String] = []
    while start < bytes.count {
        var end = start
        repeat {
            end = bytes[end...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
        } while end < bytes.count && (bytes[end] == 0x20 || bytes[end] == 0x09)
        let text = unfolded(bytes[start..<end])
        let name = String(decoding: text.prefix { $0 != 0x3A && $0 != 0x3B }, as: UTF8.self).uppercased()
        var line = RawLine(bytes: bytes[start..<end], name: name)
        let value = String(decoding: text.drop { $0 != 0x3A }.dropFirst(), as: UTF8.self).uppercased()
            .filter { !$0.isWhitespace }
        if name == "BEGIN" { open.append(value) }
        line.isOwn = open == ["VCALENDAR", "VTODO"] && name != "BEGIN" && name != "END"
        if name == "END" { _ = open.popLast() }
        lines.append(line)
        start = end
    }
    return lines
}

public func unfolded(_ raw: ArraySlice<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    var isAfterBreak = false
    for byte in raw {
        switch byte {
        case 0x0D: continue
        case 0x0A: isAfterBreak = true
        case 0x20 where isAfterBreak, 0x09 where isAfterBreak: isAfterBreak = false
        case _:
            text.append(byte)
            isAfterBreak = false
        }
    }
    return text
}

/// What our own books and a change of these fields may touch.
public func touched(by patch: TodoPatch) -> Set<String> {
    var names: Set<String> = ["DTSTAMP", "LAST-MODIFIED", "SEQUENCE"]
    if patch.status != nil || patch.roll != nil {
        names.formUnion(["STATUS", "COMPLETED", "PERCENT-COMPLETE"])
    }
    if patch.summary != nil { names.insert("SUMMARY") }
    if patch.notes != nil { names.insert("DESCRIPTION") }
    if patch.priority != nil { names.insert("PRIORITY") }
    if patch.contact != nil { names.insert("CONTACT") }
    if patch.categories != nil { names.formUnion(["CATEGORIES", "X-OPUS-CONTEXT"]) }
    if patch.parent != nil || patch.dependsOn != nil || patch.clears?.contains(.parent) == true {
        names.insert("RELATED-TO")
    }
    let clears = patch.clears ?? []
    if patch.due != nil || patch.start != nil || patch.roll != nil || clears.contains(.due)
        || clears.contains(.start)
    {
        names.formUnion(["DUE", "DTSTART", "DURATION", "X-OPUS-TZ"])
    }
    if patch.roll != nil { names.insert("RRULE") }
    return names
}
