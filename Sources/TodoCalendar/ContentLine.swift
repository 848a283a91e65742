import Glibc

/// A content line of a calendar file, with all its bytes. RFC 5545 §3.1.
///
/// One linear pass splits the file before libical reads it: libical takes seconds for a line of megabytes, overflows
/// the stack at deep nesting, and reports no line numbers. The bytes of all lines joined are the file.
struct ContentLine: Equatable, Sendable {
    /// The original bytes: folded, with the line end.
    var range: Range<Int>
    /// The number of its first physical line, from 1.
    var number: Int
    /// Upper case; empty for a blank line.
    var name: String
    /// Whether it has more than one physical line.
    var isFolded: Bool

    var isProperty: Bool { name != "" && name != "BEGIN" && name != "END" }
}

/// Limits of calendar files.
enum CalendarLimits {
    static let fileBytes = 1 << 20
    static let lineBytes = 256 << 10
    static let nesting = 8
    static let nameBytes = 256
}

extension ContentLine {
    static func split(_ bytes: [UInt8]) throws(CalendarError) -> [ContentLine] {
        guard bytes.count <= CalendarLimits.fileBytes else {
            throw CalendarError(.fileTooLarge(bytes: bytes.count, maximum: CalendarLimits.fileBytes))
        }
        let holdsNUL = bytes.contains(0)
        var lines: [ContentLine] = []
        lines.reserveCapacity(min(64, bytes.count / 16))
        var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var number = 1
        while position < bytes.count {
            let (end, physical) = logicalEnd(bytes, from: position)
            guard end - position <= CalendarLimits.lineBytes else {
                throw CalendarError(.lineTooLong(maximum: CalendarLimits.lineBytes), line: number)
            }
            let range = position..<end
            guard !holdsNUL || !bytes[range].contains(0) else { throw CalendarError(.notText, line: number) }
            guard let name = plainName(bytes[range]) ?? name(bytes[range]) else {
                throw CalendarError(.notAContentLine, line: number)
            }
            lines.append(ContentLine(range: range, number: number, name: name, isFolded: physical > 1))
            position = end
            number += physical
        }
        return lines
    }

    /// The content without folds and line end.
    func unfolded(in bytes: [UInt8]) -> [UInt8] {
        guard isFolded else { return Array(content(in: bytes)) }
        var content: [UInt8] = []
        content.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            if let next = Self.afterBreak(bytes, at: index, end: range.upperBound) {
                // The blank after a line break is part of the fold.
                index = next < range.upperBound ? next + 1 : next
            } else {
                content.append(bytes[index])
                index += 1
            }
        }
        return content
    }

    /// Whether its text can be read without a loss. A fold may be inside a character.
    func isUTF8(in bytes: [UInt8]) -> Bool { String(validating: unfolded(in: bytes), as: UTF8.self) != nil }

    /// The content of an unfolded line, without a copy.
    func content(in bytes: [UInt8]) -> ArraySlice<UInt8> {
        var end = range.upperBound
        if end > range.lowerBound, bytes[end - 1] == 0x0A { end -= 1 }
        if end > range.lowerBound, end < range.upperBound, bytes[end - 1] == 0x0D { end -= 1 }
        return bytes[range.lowerBound..<end]
    }

    /// The text after the first colon outside quotes, without blanks at its ends: enough for BEGIN, END and UID.
    func plainValue(in bytes: [UInt8]) -> String {
        var isQuoted = false
        var value = isFolded ? unfolded(in: bytes)[...] : content(in: bytes)
        while let byte = value.popFirst() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: ":"), !isQuoted { break }
        }
        return String(decoding: Self.trimmed(value), as: UTF8.self)
    }

    /// The parameters, their names in upper case and their values without quotes; and the text after the colon.
    func parts(in bytes: [UInt8]) -> (parameters: [(name: String, value: String)], value: String) {
        var isQuoted = false
        var pieces: [[UInt8]] = [[]]
        var value = unfolded(in: bytes).filter { $0 != 0x0D && $0 != 0x0A }[...]
        while let byte = value.popFirst() {
            if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ":"), !isQuoted {
                break
            } else if byte == UInt8(ascii: ";"), !isQuoted {
                pieces.append([])
            } else {
                pieces[pieces.count - 1].append(byte)
            }
        }
        let parameters = pieces.dropFirst().map { piece in
            let pair = piece.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (
                String(decoding: pair[0], as: UTF8.self).uppercased(),
                pair.count == 2 ? String(decoding: pair[1], as: UTF8.self) : ""
            )
        }
        return (parameters, String(decoding: value, as: UTF8.self))
    }

    static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var (start, end) = (value.startIndex, value.endIndex)
        while start < end, isBlank(value[start]) { start += 1 }
        while start < end, isBlank(value[end - 1]) { end -= 1 }
        return value[start..<end]
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    /// Whether the line ends in LF alone.
    func endsInBareLineFeed(in bytes: [UInt8]) -> Bool {
        let raw = bytes[range]
        return raw.last == 0x0A && raw.dropLast().last != 0x0D
    }

    /// The end of the logical line that begins there, and how many physical lines it takes.
    private static func logicalEnd(_ bytes: [UInt8], from start: Int) -> (end: Int, physical: Int) {
        var index = start
        var physical = 0
        while let feed = lineFeed(bytes, from: index) {
            physical += 1
            index = feed + 1
            guard index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 else {
                return (index, physical)
            }
        }
        return (bytes.count, physical + 1)
    }

    private static func lineFeed(_ bytes: [UInt8], from index: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard index < bytes.count, let start = bytes.baseAddress,
                let found = memchr(start + index, 0x0A, bytes.count - index)
            else { return nil }
            return UnsafeRawPointer(found) - start
        }
    }

    /// The name of a line that begins with it as most do, in upper case letters; nil: it takes ``name(_:)`` to tell.
    private static func plainName(_ raw: ArraySlice<UInt8>) -> String? {
        var end = raw.startIndex
        while end < raw.endIndex, isUpperCaseName(raw[end]) { end += 1 }
        let isName =
            end > raw.startIndex && end < raw.endIndex
            && (raw[end] == UInt8(ascii: ":") || raw[end] == UInt8(ascii: ";"))
            && end - raw.startIndex <= CalendarLimits.nameBytes
        return isName ? String(decoding: raw[raw.startIndex..<end], as: UTF8.self) : nil
    }

    private static func isUpperCaseName(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "-")
    }

    /// The name, upper case; "" for a blank line, nil when the line has none.
    private static func name(_ raw: ArraySlice<UInt8>) -> String? {
        guard raw.contains(where: { $0 != 0x0D && $0 != 0x0A && $0 != 0x20 && $0 != 0x09 }) else { return "" }
        var name: [UInt8] = []
        var isAfterBreak = false
        for byte in raw {
            switch byte {
            case UInt8(ascii: ":"), UInt8(ascii: ";"):
                return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                name.append(byte - 0x20)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/"):
                name.append(byte)
            case 0x0D:
                continue
            case 0x0A:
                isAfterBreak = true
                continue
            case 0x20 where isAfterBreak, 0x09 where isAfterBreak:
                break
            case _:
                return nil
            }
            isAfterBreak = false
            guard name.count <= CalendarLimits.nameBytes else { return nil }
        }
        return nil
    }

    /// The index after a line break at `index`, nil when there is none.
    private static func afterBreak(_ bytes: [UInt8], at index: Int, end: Int) -> Int? {
        if bytes[index] == 0x0A { return index + 1 }
        guard bytes[index] == 0x0D, index + 1 < end, bytes[index + 1] == 0x0A else { return nil }
        return index + 2
    }
}
