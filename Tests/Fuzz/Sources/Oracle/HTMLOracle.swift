// What must hold for HTML that was made safe, read without a parser: as the bytes stand there.

public import MIMEParser

/// Every tag is one of text, every attribute one of a few, and no value leads or fetches anywhere else.
public func checkSafe(_ safe: SanitizedHTML) {
    let bytes = Array(safe.html.utf8)
    promise(!safe.html.hasControlsBeyondBlanks, "safe HTML has no control characters")
    var index = 0
    while index < bytes.count {
        guard bytes[index] == UInt8(ascii: "<") else {
            index += 1
            continue
        }
        let end = bytes[index...].firstIndex(of: UInt8(ascii: ">")) ?? bytes.count
        promise(end < bytes.count, "a tag of safe HTML ends")
        checkTag(bytes[(index + 1)..<end])
        index = end + 1
    }
}

/// `p`, `/p`, `a href="…" rel="…"`.
private func checkTag(_ tag: ArraySlice<UInt8>) {
    let shown = String(decoding: tag, as: UTF8.self)
    let body = tag.first == UInt8(ascii: "/") ? tag.dropFirst() : tag
    let name = body.prefix { ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) }
    promise(!name.isEmpty, "a tag has a name: \(shown)")
    promise(!forbidden.contains(String(decoding: name, as: UTF8.self)), "no such element: \(shown)")
    var rest = body[name.endIndex...]
    while let first = rest.first {
        promise(first == 0x20, "an attribute follows a blank: \(shown)")
        let key = rest.dropFirst().prefix { ($0 >= 0x61 && $0 <= 0x7A) || $0 == UInt8(ascii: "-") }
        let opening = rest[key.endIndex...]
        promise(opening.starts(with: "=\"".utf8), "an attribute has a quoted value: \(shown)")
        let value = opening.dropFirst(2)
        guard let close = value.firstIndex(of: UInt8(ascii: "\"")) else {
            promise(false, "a value ends: \(shown)")
            return
        }
        check(String(decoding: key, as: UTF8.self), String(decoding: value[..<close], as: UTF8.self), shown)
        rest = value[(close + 1)...]
    }
}

private func check(_ name: String, _ value: String, _ tag: String) {
    promise(name != "src" && name != "srcset" && name != "background", "nothing is fetched: \(tag)")
    promise(!name.hasPrefix("on") && name != "id" && name != "class", "nothing runs: \(tag)")
    switch name {
    case "href":
        let schemes = ["https://", "http://", "mailto:", "tel:"]
        promise(
            schemes.contains { value.utf8.starts(with: $0.utf8) },
            "a link is one of the web, of mail or a number: \(tag)")
    case "style": checkStyle(value, tag)
    case _: break
    }
}

/// A word alone does nothing, whatever it is; what could do something are functions, escapes, comments, rules and a
/// property that places or runs. A font may be called anything; its name stands in quotes and is looked at no further.
private func checkStyle(_ style: String, _ tag: String) {
    let parts = Array(style.lowercased().utf8).split(
        separator: "&#39;".utf8, omittingEmptySubsequences: false)
    promise(!parts.count.isMultiple(of: 2), "a quote in a style ends: \(tag)")
    let unquoted = Array(
        parts.indices.filter { $0.isMultiple(of: 2) }.map { parts[$0] }.joined(separator: "''".utf8))
    for mark in ["@", "\\", "/*", "{", "}", "&", "<", "!"] {
        promise(!unquoted.contains(mark.utf8), "a style only looks: \(tag)")
    }
    for declaration in unquoted.split(separator: UInt8(ascii: ";")) {
        let property = declaration.prefix { $0 != UInt8(ascii: ":") }
        promise(property.count < declaration.count, "a declaration has a value: \(tag)")
        promise(
            !["position", "behavior", "content", "filter", "transform", "animation", "cursor", "z-index"]
                .contains { property.elementsEqual($0.utf8) } && !property.starts(with: "-".utf8),
            "a style places and runs nothing: \(tag)")
    }
    for call in unquoted.split(separator: UInt8(ascii: "("), omittingEmptySubsequences: false).dropLast() {
        let name = call.reversed().prefix { $0 >= 0x61 && $0 <= 0x7A }.reversed()
        promise(
            ["rgb", "rgba", "hsl", "hsla"].contains { name.elementsEqual($0.utf8) },
            "no function but of colours: \(tag)")
    }
}

private let forbidden: Set<String> = [
    "script", "style", "svg", "math", "iframe", "object", "embed", "form", "input", "button", "link", "meta",
    "base",
    "template", "noscript", "title", "textarea", "xmp", "plaintext", "frameset", "frame", "audio", "video",
    "select",
]

extension String {
    /// As ``hasControls``, but a form feed is a blank of HTML.
    fileprivate var hasControlsBeyondBlanks: Bool {
        unicodeScalars.contains {
            $0.properties.generalCategory == .control && !["\n", "\t", "\r", "\u{C}"].contains($0)
        }
    }
}
