/// A path as bytes, because names of other programs need not be UTF-8.
struct BytePath: Hashable, Sendable, CustomStringConvertible {
    var bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    func appending(_ component: [UInt8]) -> BytePath {
        var longer = self
        longer.bytes.append(UInt8(ascii: "/"))
        longer.bytes.append(contentsOf: component)
        return longer
    }

    func appending(_ component: String) -> BytePath { appending(Array(component.utf8)) }

    func withSuffix(_ suffix: String) -> BytePath {
        var longer = self
        longer.bytes.append(contentsOf: Array(suffix.utf8))
        return longer
    }

    /// For people: repaired where the bytes are not UTF-8.
    var description: String { String(decoding: bytes, as: UTF8.self) }

    var cString: [CChar] { bytes.cString }
}

extension [UInt8] {
    /// The bytes as a C string. They must not contain NUL.
    var cString: [CChar] {
        var text = map { CChar(bitPattern: $0) }
        text.append(0)
        return text
    }
}
