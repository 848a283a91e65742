import CGumbo

/// The attributes of an element that are kept: a short list, each with a grammar for its value.
///
/// Ids, names and classes are not kept, because the code of a page could use them. Links get a `rel` that hides the
/// referrer from their target.
struct HTMLAttributeWriter {
    private enum Rule {
        case number
        case length
        case colour
        case word(Set<String>)
        case language
        case fonts
        case text
    }

    private let element: HTMLElement
    private var kept: [(name: String, value: [UInt8])] = []
    /// The target of a link, if it is allowed.
    private(set) var target: LinkTarget?
    /// The Content-ID of the part that an image shows.
    private(set) var contentID: String?

    init(_ element: HTMLElement) {
        self.element = element
        element.forEachAttribute { name, value in take(String(decoding: name, as: UTF8.self), value) }
        if element.tag == GUMBO_TAG_A {
            target = element.withValue(of: "href") { LinkTarget($0) } ?? nil
        } else if element.tag == GUMBO_TAG_IMG {
            let source = element.withValue(of: "src") { ContentIDURL.id(in: $0) } ?? nil
            contentID = source ?? element.withValue(of: "data-cid") { ContentIDURL.id($0) } ?? nil
        }
    }

    var isEmpty: Bool { kept.isEmpty && target == nil && contentID == nil }

    func write(to output: inout [UInt8]) {
        if let target {
            Self.write("href", Array(target.text.utf8), to: &output)
            Self.write("rel", Array("noopener noreferrer nofollow".utf8), to: &output)
        }
        if let contentID { Self.write("data-cid", Array(contentID.utf8), to: &output) }
        for attribute in kept { Self.write(attribute.name, attribute.value, to: &output) }
    }

    private static func write(_ name: String, _ value: [UInt8], to output: inout [UInt8]) {
        output.append(ASCII.space)
        output += name.utf8
        output += "=\"".utf8
        value.withUnsafeBufferPointer { HTMLEscape.append($0, to: &output, isAttribute: true) }
        output.append(ASCII.quote)
    }

    private mutating func take(_ name: String, _ value: UnsafeBufferPointer<UInt8>) {
        if name == "style" {
            let style = StyleFilter.filtered(value)
            if !style.isEmpty { kept.append((name, style)) }
        } else if let rule = Self.rules[name], let value = Self.value(value, rule) {
            kept.append((name, value))
        }
    }

    // MARK: Values

    private static let rules: [String: Rule] = {
        var rules: [String: Rule] = [
            "align": .word(["left", "right", "center", "justify", "middle", "top", "bottom", "char"]),
            "valign": .word(["top", "middle", "bottom", "baseline"]),
            "clear": .word(["left", "right", "all", "none", "both"]),
            "dir": .word(["ltr", "rtl", "auto"]),
            "nowrap": .word(["", "nowrap"]), "noshade": .word(["", "noshade"]),
            "reversed": .word(["", "reversed"]),
            "scope": .word(["row", "col", "rowgroup", "colgroup"]),
            "type": .word(["1", "a", "i", "disc", "circle", "square", "cite"]),
            "lang": .language, "face": .fonts, "alt": .text, "title": .text,
        ]
        for name in [
            "border", "cellpadding", "cellspacing", "colspan", "rowspan", "hspace", "vspace", "span", "start",
            "size",
            "value",
        ] {
            rules[name] = .number
        }
        for name in ["width", "height"] { rules[name] = .length }
        for name in ["bgcolor", "color"] { rules[name] = .colour }
        return rules
    }()

    /// The names that may be written, for the test that reads the output again.
    static let names: Set<String> = Set(rules.keys.map { $0 }).union(["style", "href", "rel", "data-cid"])

    private static func value(_ value: UnsafeBufferPointer<UInt8>, _ rule: Rule) -> [UInt8]? {
        let trimmed = Array(value)[...].trimmed
        switch rule {
        case .number: return number(trimmed)
        case .length:
            let isPercent = trimmed.last == ASCII.percent
            let pixels = trimmed.count > 2 && trimmed.suffix(2).isWord("px") ? trimmed.dropLast(2) : trimmed
            return number(isPercent ? trimmed.dropLast() : pixels).map {
                isPercent ? $0 + [ASCII.percent] : $0
            }
        case .colour:
            let isColour = trimmed.count <= 24 && (trimmed.first?.isLetter ?? false || trimmed.first == 0x23)
            return isColour && trimmed.dropFirst().allSatisfy { $0.isLetter || $0.isDigit }
                ? Array(trimmed) : nil
        case .word(let words):
            guard trimmed.count <= 16, words.contains(trimmed.lowercasedText) else { return nil }
            return Array(trimmed)
        case .language:
            let isTag = trimmed.allSatisfy { $0.isLetter || $0.isDigit || $0 == ASCII.hyphen }
            return isTag && (1...35).contains(trimmed.count) ? Array(trimmed) : nil
        case .fonts:
            let isList = trimmed.allSatisfy {
                $0.isLetter || $0.isDigit || $0 == ASCII.hyphen || $0 == ASCII.space || $0 == ASCII.comma
            }
            return isList && (1...200).contains(trimmed.count) ? Array(trimmed) : nil
        case .text: return trimmed.count <= 2_000 ? Array(trimmed) : nil
        }
    }

    private static func number(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        let digits = value.first == 0x2B || value.first == ASCII.hyphen ? value.dropFirst() : value
        guard (1...5).contains(digits.count), digits.allSatisfy(\.isDigit) else { return nil }
        return Array(value)
    }
}

/// `cid:` URLs: parts of the message itself. RFC 2392.
enum ContentIDURL {
    static func id(in url: UnsafeBufferPointer<UInt8>) -> String? {
        let url = Array(url)[...].trimmed
        guard url.count > 4, url.prefix(4).isWord("cid:") else { return nil }
        let encoded = Array(url.dropFirst(4))
        return PercentCoding.decoded(encoded[...]).withUnsafeBufferPointer { id($0) }
    }

    /// A valid `Content-ID`: visible ASCII without brackets and quotes.
    static func id(_ value: UnsafeBufferPointer<UInt8>) -> String? {
        let isID = value.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && $0 != ASCII.less && $0 != ASCII.greater && $0 != ASCII.quote
                && $0 != 0x27
                && $0 != 0x60
        }
        return isID && (1...256).contains(value.count) ? String(decoding: value, as: UTF8.self) : nil
    }
}

/// `%41` of URLs.
enum PercentCoding {
    static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == ASCII.percent, index + 2 < bytes.endIndex,
                let high = bytes[index + 1].hexValue, let low = bytes[index + 2].hexValue
            {
                output.append(high << 4 | low)
                index += 3
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return output
    }
}
