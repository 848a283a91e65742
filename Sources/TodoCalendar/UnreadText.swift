import Models

/// The content of a task's lines that a ``Todo`` does not hold: parameters, second lines, and unreadable values.
///
/// A merge needs it. Another program may have changed a part that opus does not read (`STATUS:X-WAITING`,
/// `SUMMARY;LANGUAGE=de`), and a change by opus would remove it with the line. So each property that a patch can
/// replace has a digest of the rest of its lines, and another digest means that the user changed it.
enum UnreadText {
    /// nil, as usually: the lines have nothing else.
    static func names(_ outline: CalendarOutline, of master: Int, _ todo: Todo) -> [String: String]? {
        var hashes: [String: FNV] = [:]
        var isSeen = [Bool](repeating: false, count: replaced.count)
        for index in outline.ownLines(of: master) {
            let line = outline.lines[index]
            guard let property = replaced.firstIndex(of: line.name) else { continue }
            let isFirst = !isSeen[property]
            isSeen[property] = true
            if isFirst, isRead(line, outline.bytes, todo) { continue }
            hashes[line.name, default: FNV()].receive(line.unfolded(in: outline.bytes))
        }
        return hashes.isEmpty ? nil : hashes.mapValues { String($0.value, radix: 16) }
    }

    /// The properties that ``PatchPlan`` sets, removes or replaces. Contexts and blockers are merged word by word
    /// instead.
    private static let replaced = [
        "SUMMARY", "DESCRIPTION", "STATUS", "COMPLETED", "PERCENT-COMPLETE", "DTSTART", "DUE", "DURATION",
        "PRIORITY", "CONTACT", "RELATED-TO", "RRULE",
    ]
    /// The parameters that a ``Todo`` holds.
    private static let read: Set<String> = ["VALUE", "TZID", "RELTYPE"]

    private static func isRead(_ line: ContentLine, _ bytes: [UInt8], _ todo: Todo) -> Bool {
        let colon = line.range.lowerBound + line.name.utf8.count
        let isPlain = line.range.contains(colon) && bytes[colon] == UInt8(ascii: ":")
        switch line.name {
        case "SUMMARY", "DESCRIPTION", "CONTACT", "RELATED-TO", "RRULE":
            return isPlain || hasOnlyRead(line, bytes)
        case "DURATION": return false
        case "DTSTART": return todo.start != nil && (isPlain || hasOnlyRead(line, bytes))
        case "DUE": return todo.due != nil && (isPlain || hasOnlyRead(line, bytes))
        case "COMPLETED": return isPlain && todo.completed != nil
        case "PERCENT-COMPLETE": return isPlain && todo.percentComplete != nil
        case "STATUS":
            return isPlain
                && ["NEEDS-ACTION", "IN-PROCESS", "COMPLETED", "CANCELLED"].contains(
                    line.plainValue(in: bytes).uppercased())
        case "PRIORITY": return isPlain && Int(line.plainValue(in: bytes)).map((0...9).contains) == true
        case _: return true
        }
    }

    private static func hasOnlyRead(_ line: ContentLine, _ bytes: [UInt8]) -> Bool {
        line.parts(in: bytes).parameters.allSatisfy { read.contains($0.name) }
    }
}

/// FNV-1a of 64 bits: two different texts of one user's file never meet by chance.
private struct FNV {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func receive(_ bytes: [UInt8]) {
        for byte in bytes where byte != 0x0D && byte != 0x0A {
            value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
        }
    }
}
