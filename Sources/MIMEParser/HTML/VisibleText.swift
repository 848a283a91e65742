/// Text without invisible characters.
enum VisibleText {
    /// Removes blanks at both ends, and all control and invisible characters; a blank inside becomes `%20`.
    static func stripped(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        if bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return Array(bytes) }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var hasBlank = false
        forEachVisible(bytes) { scalar in
            guard scalar.count > 1 || scalar[0] > 0x20 else {
                hasBlank = hasBlank || (scalar[0] == ASCII.space && !output.isEmpty)
                return
            }
            if hasBlank { output += "%20".utf8 }
            hasBlank = false
            output += scalar
        }
        return output
    }

    /// Trimmed, runs of blanks as one.
    static func collapsed(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        var hasBlank = false
        forEachVisible(bytes) { scalar in
            guard scalar.count > 1 || scalar[0] > 0x20 else {
                hasBlank = !output.isEmpty
                return
            }
            if hasBlank { output.append(ASCII.space) }
            hasBlank = false
            output += scalar
        }
        return output
    }

    private static func forEachVisible(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        var index = 0
        let blank: [UInt8] = [ASCII.space]
        while index < bytes.count {
            let kind = ScalarKind(bytes, at: index)
            let scalar = UnsafeBufferPointer(rebasing: bytes[index..<(index + kind.count)])
            switch kind.class {
            case .visible: body(scalar)
            case .blank: kind.count == 1 ? body(scalar) : blank.withUnsafeBufferPointer(body)
            case .joiner, .nothing: break
            }
            index += kind.count
        }
    }
}

/// What one character of UTF-8 is to a reader.
struct ScalarKind {
    enum Class {
        case visible
        case blank
        /// Means something between two letters only; newsletters write hundreds in a row.
        case joiner
        case nothing
    }

    let `class`: Class
    /// Its bytes: never more than there are.
    let count: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) {
        let lead = bytes[index]
        let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1
        count = min(length, bytes.count - index)
        guard lead >= 0x80 else {
            let isBlank = lead == ASCII.space || (lead >= 0x09 && lead <= 0x0D)
            self.class = isBlank ? .blank : lead.isControl ? .nothing : .visible
            return
        }
        guard count == 2 || count == 3 else {
            self.class = .visible
            return
        }
        self.class = Self.classify(lead, bytes[index + 1], count == 3 ? bytes[index + 2] : 0)
    }

    private static func classify(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Class {
        switch (first, second, third) {
        // No-break space; en to hair spaces, line separators; narrow, mathematical, ideographic; empty Braille.
        case (0xC2, 0xA0, _), (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8...0xA9), (0xE2, 0x80, 0xAF),
            (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80), (0xE2, 0xA0, 0x80):
            .blank
        case (0xE2, 0x80, 0x8C...0x8D): .joiner
        // C1, soft hyphen, combining grapheme joiner, Mongolian vowel separator, zero width space.
        case (0xC2, 0x80...0x9F, _), (0xC2, 0xAD, _), (0xCD, 0x8F, _), (0xE1, 0xA0, 0x8E), (0xE2, 0x80, 0x8B):
            .nothing
        // Directional marks, overrides and isolates, word joiner and its kin, byte order mark, noncharacters.
        case (0xE2, 0x80, 0x8E...0x8F), (0xE2, 0x80, 0xAA...0xAE), (0xE2, 0x81, 0xA0...0xA9),
            (0xEF, 0xBB, 0xBF),
            (0xEF, 0xB7, 0x90...0xAF), (0xEF, 0xBF, 0xBE...0xBF):
            .nothing
        case _: .visible
        }
    }
}
