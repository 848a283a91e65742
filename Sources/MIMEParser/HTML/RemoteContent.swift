import CGumbo

/// Counts what an element would fetch from the network. It is never kept.
enum RemoteContent {
    static func count(in element: HTMLElement) -> Int {
        guard element.attributeCount > 0 else { return 0 }
        var count = 0
        element.forEachAttribute { name, value in
            if isStyle(name) {
                count += self.count(inStyle: value)
            } else if loads(name, element), isRemote(value) {
                count += 1
            }
        }
        if element.tag == GUMBO_TAG_META, refreshes(element) { count += 1 }
        return count
    }

    /// Counts `url(…)`, `image-set(…)` and `@import` of a style.
    static func count(inStyle style: UnsafeBufferPointer<UInt8>) -> Int {
        var count = 0
        for index in style.indices {
            switch style[index] {
            case UInt8(ascii: "u"), UInt8(ascii: "U"):
                guard follows("url(", style, index) else { continue }
                let target = style[(index + 4)...].drop { isQuoteOrBlank($0) }
                if isRemote(UnsafeBufferPointer(rebasing: target)) { count += 1 }
            case UInt8(ascii: "i"), UInt8(ascii: "I"): if follows("image-set(", style, index) { count += 1 }
            case ASCII.at: if follows("@import", style, index) { count += 1 }
            case _: break
            }
        }
        return count
    }

    private static func follows(_ word: StaticString, _ style: UnsafeBufferPointer<UInt8>, _ index: Int)
        -> Bool
    {
        guard style.count - index >= word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { expected in
            expected.indices.allSatisfy { style[index + $0].lowercasedASCII == expected[$0] }
        }
    }

    /// Whether an image is invisible and only tracks the reader.
    static func isTrackingPixel(_ element: HTMLElement) -> Bool {
        let isFetched = element.withValue(of: "src") { isRemote($0) } ?? false
        guard isFetched else { return false }
        let isTiny = ["width", "height"].contains { (name: StaticString) in
            element.withValue(of: name) { $0.elementsEqual("1") || $0.elementsEqual("0") } ?? false
        }
        return isTiny || HTMLVisibility(of: element).isHidden
    }

    private static func isQuoteOrBlank(_ byte: UInt8) -> Bool {
        byte.isBlank || byte == ASCII.quote || byte == 0x27
    }

    private static func isStyle(_ name: UnsafeBufferPointer<UInt8>) -> Bool { name.elementsEqual("style") }

    private static func loads(_ name: UnsafeBufferPointer<UInt8>, _ element: HTMLElement) -> Bool {
        switch element.tag {
        case GUMBO_TAG_A, GUMBO_TAG_AREA, GUMBO_TAG_BASE: return false
        case GUMBO_TAG_LINK: return name.elementsEqual("href")
        case _: break
        }
        let names: [StaticString] = [
            "src", "srcset", "background", "poster", "data", "lowsrc", "dynsrc", "codebase", "classid",
            "archive",
            "manifest",
        ]
        return names.contains { name.elementsEqual($0) } || (!element.isHTML && name.elementsEqual("href"))
    }

    /// Neither of this message nor written out in place.
    private static func isRemote(_ url: UnsafeBufferPointer<UInt8>) -> Bool {
        let head = Array(url.prefix(64).drop(while: \.isBlank))[...]
        guard let first = head.first, first != 0x23, first != ASCII.rightParenthesis else { return false }
        return !["cid:", "data:", "about:", "javascript:", "mid:"].contains {
            head.lowercasedText.hasPrefix($0)
        }
    }

    private static func refreshes(_ meta: HTMLElement) -> Bool {
        meta.withValue(of: "http-equiv") { Array($0)[...].trimmed.isWord("refresh") } ?? false
    }
}
