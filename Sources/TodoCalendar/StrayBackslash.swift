/// Backslashes in text that escape nothing, such as those of `C:\temp` and `https\://example.org`. RFC 5545 §3.3.11.
///
/// Other programs show such a backslash as it is. libical reads it and the next character as a blank or as a control
/// character, and the next change of the text would lose both. So opus doubles it before libical reads the text.
enum StrayBackslash {
    /// The properties of type TEXT that a person writes.
    private static let names: Set<String> = ["SUMMARY", "DESCRIPTION", "CONTACT", "CATEGORIES"]

    /// An unfolded content line.
    static func doubled(inLine line: [UInt8], named name: String) -> [UInt8] {
        guard names.contains(name), line.contains(backslash) else { return line }
        var isQuoted = false
        let colon = line.firstIndex { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == UInt8(ascii: ":") && !isQuoted
        }
        guard let colon else { return line }
        return line[...colon] + doubled(line[(colon + 1)...])
    }

    /// The value of a content line.
    static func doubled(_ value: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(value.count)
        var rest = value
        while let byte = rest.popFirst() {
            result.append(byte)
            guard byte == backslash else { continue }
            if let next = rest.first, escaped.contains(next) {
                result.append(next)
                rest = rest.dropFirst()
            } else {
                result.append(backslash)
            }
        }
        return result
    }

    private static let backslash = UInt8(ascii: "\\")
    /// A quotation mark too, because many programs escape it.
    private static let escaped = Array("\\;,nN\"".utf8)
}
