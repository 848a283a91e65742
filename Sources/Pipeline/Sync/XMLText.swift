/// The text of an XML document that a program printed. The document is not trusted, so it is not parsed: markup is left
/// out, and the five named entities and numbers are decoded.
enum XMLText {
    /// The names of elements after which a line ends.
    private static let lines: Set<String> = ["/a:p", "a:br/", "/p:sld"]

    static func plain(_ document: String) -> String {
        var text: [UInt8] = []
        var rest = Array(document.utf8)[...]
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "<"):
                let end = rest.firstIndex(of: UInt8(ascii: ">")) ?? rest.endIndex
                let name = rest[..<end].dropFirst().prefix(8).prefix { $0 != 0x20 }
                if lines.contains(String(decoding: name, as: UTF8.self)) { text.append(0x0A) }
                rest = rest[min(end + 1, rest.endIndex)...]
            case UInt8(ascii: "&"):
                let name = rest.dropFirst().prefix(10).prefix { $0 != UInt8(ascii: ";") }
                guard let scalar = entity(String(decoding: name, as: UTF8.self)) else { fallthrough }
                text += Array(String(scalar).utf8)
                rest = rest.dropFirst(name.count + 2)
            case _:
                text.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func entity(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case _:
            guard name.hasPrefix("#") else { return nil }
            let number = name.dropFirst()
            let value = number.hasPrefix("x") ? UInt32(number.dropFirst(), radix: 16) : UInt32(number)
            return value.flatMap(Unicode.Scalar.init)
        }
    }
}
