/// Keeps the declarations of a `style` attribute that only change the look of text.
///
/// Each declaration is judged separately: an allowed property, and a value of numbers, colours and plain words. It may
/// contain no function except `rgb` and `hsl`, no escape, no comment and no negative length, so it fetches nothing and
/// moves nothing outside the message. The kept declarations are written again.
enum StyleFilter {
    private static let maximumLength = 8_192
    private static let declarations = 64

    static func filtered(_ style: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        guard style.count <= maximumLength else { return [] }
        var output: [UInt8] = []
        for declaration in Array(style).split(separator: ASCII.semicolon).prefix(declarations) {
            guard let colon = declaration.firstIndex(of: ASCII.colon) else { continue }
            let property = declaration[..<colon].trimmed
            guard property.count <= 32, properties.contains(property.lowercasedText),
                let value = value(declaration[(colon + 1)...])
            else { continue }
            if !output.isEmpty { output.append(ASCII.semicolon) }
            output += property.map(\.lowercasedASCII) + [ASCII.colon] + value
        }
        return output
    }

    /// Words separated by blanks, commas and slashes; nil: a word is not allowed.
    private static func value(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var text = text.trimmed
        if text.count > 10, text.suffix(10).isWord("!important") { text = text.dropLast(10).trimmed }
        guard !text.isEmpty, text.count <= 300 else { return nil }
        var output: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            if byte.isBlank {
                if output.last != ASCII.space { output.append(ASCII.space) }
                index += 1
            } else if byte == ASCII.comma || byte == ASCII.slash {
                output.append(byte)
                index += 1
            } else {
                guard let end = wordEnd(text, from: index) else { return nil }
                output += text[index..<end].map { $0 == ASCII.quote ? 0x27 : $0 }
                index = end
            }
        }
        return output
    }

    private static func wordEnd(_ text: ArraySlice<UInt8>, from start: Int) -> Int? {
        let byte = text[start]
        if byte == ASCII.quote || byte == 0x27 { return quotedEnd(text, from: start) }
        let end = text[start...].firstIndex { !isWordByte($0) } ?? text.endIndex
        let word = text[start..<end]
        if end < text.endIndex, text[end] == ASCII.leftParenthesis {
            return functionEnd(text, word, from: end)
        }
        guard
            end == text.endIndex || text[end].isBlank || text[end] == ASCII.comma || text[end] == ASCII.slash
        else {
            return nil
        }
        return isPlain(word) ? end : nil
    }

    /// The end of a quoted font name: letters, digits, blanks, hyphens.
    private static func quotedEnd(_ text: ArraySlice<UInt8>, from start: Int) -> Int? {
        guard let end = text[(start + 1)...].firstIndex(of: text[start]) else { return nil }
        let isName = text[(start + 1)..<end].allSatisfy {
            $0.isLetter || $0.isDigit || $0 == ASCII.space || $0 == ASCII.hyphen || $0 == ASCII.underscore
        }
        return isName ? end + 1 : nil
    }

    private static func functionEnd(_ text: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>, from open: Int)
        -> Int?
    {
        guard ["rgb", "rgba", "hsl", "hsla"].contains(name.lowercasedText),
            let close = text[open...].firstIndex(of: ASCII.rightParenthesis)
        else { return nil }
        let isNumeric = text[(open + 1)..<close].allSatisfy {
            $0.isDigit || $0 == ASCII.space || $0 == ASCII.comma || $0 == ASCII.dot || $0 == ASCII.percent
                || $0 == ASCII.slash
        }
        return isNumeric ? close + 1 : nil
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == ASCII.hyphen || byte == ASCII.dot || byte == ASCII.percent
            || byte == 0x23
    }

    /// Whether it is a keyword, a colour, or a length with at most four digits before the dot.
    private static func isPlain(_ word: ArraySlice<UInt8>) -> Bool {
        guard let first = word.first, word.count <= 32 else { return false }
        if first == 0x23 { return word.count <= 9 && word.dropFirst().allSatisfy { $0.hexValue != nil } }
        if first.isLetter { return word.allSatisfy { $0.isLetter || $0 == ASCII.hyphen } }
        let digits = word.prefix(while: \.isDigit)
        let rest = word[digits.endIndex...]
        let fraction = rest.first == ASCII.dot ? rest.dropFirst().prefix(while: \.isDigit) : rest.prefix(0)
        guard digits.count <= 4, fraction.count <= 8, digits.count + fraction.count > 0 else { return false }
        let unit = word[max(fraction.endIndex, digits.endIndex)...]
        return unit.count <= 4
            && (unit.allSatisfy(\.isLetter) || (unit.count == 1 && unit.first == ASCII.percent))
    }

    /// Properties that change the look of text, boxes and tables, without any that place, layer, animate or fetch.
    static let properties: Set<String> = {
        var names: Set<String> = [
            "background-color", "border-collapse", "border-color", "border-radius", "border-spacing",
            "border-style",
            "border-width", "caption-side", "clear", "color", "direction", "display", "empty-cells", "float",
            "font",
            "font-family", "font-size", "font-style", "font-variant", "font-weight", "height",
            "letter-spacing",
            "line-height", "list-style-type", "max-height", "max-width", "min-height", "min-width",
            "mso-hide", "opacity",
            "overflow-wrap", "table-layout", "text-align", "text-decoration", "text-indent", "text-transform",
            "vertical-align", "visibility", "white-space", "width", "word-break", "word-spacing", "word-wrap",
            "background",
        ]
        for side in ["", "-top", "-right", "-bottom", "-left"] {
            names.formUnion(["margin" + side, "padding" + side, "border" + side])
        }
        for side in ["-top", "-right", "-bottom", "-left"] {
            names.formUnion(["border\(side)-color", "border\(side)-style", "border\(side)-width"])
        }
        return names
    }()
}
