/// The charset that HTML declares in its own head, for parts whose header has none. HTML Standard §13.2.3.2.
///
/// It reads only `meta` elements with `charset`, or with `http-equiv="Content-Type"` and a `content`. Comments and text
/// do not count. A page that declares UTF-16 is UTF-8: otherwise the declaration would be unreadable.
enum HTMLCharset {
    /// The number of bytes to search. Browsers search half as many, but mail has long styles in its head.
    private static let window = 2_048

    static func declared(in bytes: [UInt8]) -> String? {
        var tags = HTMLTags(Array(bytes.prefix(window)))
        while let token = tags.next() {
            guard case .start(let name, _) = token, tags.bytes[name].isWord("meta") else { continue }
            guard let label = label(of: tags) else { continue }
            let isWide = label.lowercased().hasPrefix("utf-16")
            return isWide ? "utf-8" : label
        }
        return nil
    }

    private static func label(of meta: HTMLTags) -> String? {
        if let charset = value("charset", meta) { return word(charset) }
        guard value("http-equiv", meta)?.isWord("content-type") ?? false, let content = value("content", meta)
        else {
            return nil
        }
        return inContentType(content)
    }

    private static func value(_ name: StaticString, _ meta: HTMLTags) -> ArraySlice<UInt8>? {
        let found = meta.attributes.first { meta.bytes[$0.name].isWord(name) }
        return found.map { meta.bytes[$0.value].trimmed }
    }

    /// `text/html; charset = "utf-8"`: the first `charset` before an equals sign.
    private static func inContentType(_ content: ArraySlice<UInt8>) -> String? {
        var index = content.startIndex
        while index + 7 <= content.endIndex {
            guard content[index..<(index + 7)].isWord("charset") else {
                index += 1
                continue
            }
            index += 7
            let rest = content[index...].drop(while: \.isBlank)
            guard rest.first == ASCII.equals else { continue }
            return word(rest.dropFirst().drop { $0.isBlank || $0 == ASCII.quote || $0 == 0x27 })
        }
        return nil
    }

    private static func word(_ value: ArraySlice<UInt8>) -> String? {
        let name = value.prefix { $0.isToken && $0 != 0x27 }
        return name.isEmpty || name.count > 40 ? nil : name.text
    }
}
