/// The lines that libical writes, in the form that calendar servers keep.
///
/// A sync program compares the lines of a file with those that a server has written again, and takes two equal tasks for
/// different ones if their form differs. Two things that libical does are right, but unusual:
///
/// - It folds after a blank or a comma, some octets before the 75th. Servers fold at 75 octets. RFC 5545 §3.1.
/// - It writes the commas and semicolons of properties with `X-` as they are. Some servers take them for the end of the
///   value, and lose the rest. RFC 5545 §3.8.8.2: without a `VALUE` parameter, the value is TEXT.
enum WrittenLines {
    /// The longest line, in octets, without its line end.
    static let width = 75

    /// `text`: lines that end in CRLF, folded anywhere.
    static func usual(_ text: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count + text.utf8.count / width * 3)
        for line in unfolded(text) { result += folded(escaped(line)) }
        return String(decoding: result, as: UTF8.self)
    }

    private static func unfolded(_ text: String) -> [[UInt8]] {
        text.replacing("\r\n ", with: "").split(separator: "\r\n").map { Array($0.utf8) }
    }

    private static let own = Array("X-OPUS-".utf8)

    /// libical has escaped the backslashes.
    private static func escaped(_ line: [UInt8]) -> [UInt8] {
        guard line.starts(with: own), let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return line }
        var result = Array(line[...colon])
        for byte in line[(colon + 1)...] {
            if byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") { result.append(UInt8(ascii: "\\")) }
            result.append(byte)
        }
        return result
    }

    /// No fold divides a character.
    private static func folded(_ line: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var length = 0
        var index = 0
        while index < line.count {
            let end = min(index + characterSize(line[index]), line.count)
            if length + end - index > width {
                result += [0x0D, 0x0A, 0x20]
                length = 1
            }
            result += line[index..<end]
            (length, index) = (length + end - index, end)
        }
        return result + [0x0D, 0x0A]
    }

    /// The number of octets of the UTF-8 sequence that begins with this one. RFC 3629 §3.
    private static func characterSize(_ first: UInt8) -> Int {
        switch first {
        case 0xF0...: 4
        case 0xE0...: 3
        case 0xC0...: 2
        case _: 1
        }
    }
}
